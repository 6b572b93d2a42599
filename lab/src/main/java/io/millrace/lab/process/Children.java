package io.millrace.lab.process;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// All children of the lab. Those left when the JVM ends are killed with their descendants: when it returns
/// from `main`, and on SIGINT and SIGTERM, but not on SIGKILL. Any thread may call.
public final class Children {
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration KILLED_WITHIN = Duration.ofSeconds(1);
    private static final int ROUNDS_OF_KILLING = 10;
    private static final String MARK = "MILLRACE_LAB_CHILD";

    private static final Object LOCK = new Object();
    /// Guarded by LOCK.
    private static final Map<Process, ProcessTree> TREES = new LinkedHashMap<>();
    /// What to undo at the end, the newest first. Guarded by LOCK.
    private static final Deque<Runnable> UNDONE_AT_END = new ArrayDeque<>();
    /// Guarded by LOCK.
    private static long started;
    /// Guarded by LOCK.
    private static boolean isOver;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Children::end, "lab-children"));
    }

    private Children() {}

    /// Starts a child. Its environment gets a variable more, by which its descendants are found again.
    ///
    /// @throws IOException when the program cannot be started, and when the JVM is ending
    public static Process start(ProcessBuilder builder) throws IOException {
        synchronized (LOCK) {
            refuseAtTheEnd();
            String value = ProcessHandle.current().pid() + "-" + ++started;
            builder.environment().put(MARK, value);
            var process = builder.start();
            TREES.put(process, new ProcessTree(process.toHandle(), MARK + "=" + value));
            return process;
        }
    }

    /// Ends a child and its descendants, paused or not: SIGTERM, and SIGKILL to what is left after 2 s. Returns
    /// when they are gone. An interrupted thread does not wait for SIGTERM to be obeyed.
    public static void kill(Process child) {
        kill(List.of(tree(child)));
        synchronized (LOCK) {
            TREES.remove(child);
        }
        try {
            // The JVM hears of the end a little later than the system knows it.
            child.waitFor(KILLED_WITHIN);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    static ProcessTree tree(Process child) {
        synchronized (LOCK) {
            return TREES.getOrDefault(child, new ProcessTree(child.toHandle(), ""));
        }
    }

    /// Has something undone when the JVM ends, once no child is left.
    ///
    /// @throws IOException when the JVM is ending
    static void undoAtEnd(Runnable undo) throws IOException {
        synchronized (LOCK) {
            refuseAtTheEnd();
            UNDONE_AT_END.push(undo);
        }
    }

    /// For what has been undone before.
    static void forget(Runnable undo) {
        synchronized (LOCK) {
            UNDONE_AT_END.remove(undo);
        }
    }

    private static void refuseAtTheEnd() throws IOException {
        assert Thread.holdsLock(LOCK);
        if (isOver) {
            throw new IOException("the lab is ending and starts nothing more");
        }
    }

    private static void end() {
        List<ProcessTree> trees;
        List<Runnable> undone;
        synchronized (LOCK) {
            isOver = true;
            trees = List.copyOf(TREES.values());
            undone = List.copyOf(UNDONE_AT_END);
        }
        try {
            kill(trees);
        } finally {
            undone.forEach(Runnable::run);
        }
    }

    private static void kill(List<ProcessTree> trees) {
        boolean isInterrupted = Thread.interrupted();
        var known = alive(trees);
        // One that is paused gets it when it goes on, and does nothing before.
        known.forEach(ProcessHandle::destroy);
        isInterrupted |= !resume(known);
        isInterrupted |= !awaitEnd(known, isInterrupted ? Duration.ZERO : GRACE);
        for (int i = 0; i < ROUNDS_OF_KILLING; i++) {
            known.addAll(alive(trees));
            known.removeIf(process -> !ProcessTree.isAlive(process));
            if (known.isEmpty()) {
                break;
            }
            known.forEach(ProcessHandle::destroyForcibly);
            isInterrupted |= !awaitEnd(known, KILLED_WITHIN);
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Set<ProcessHandle> alive(List<ProcessTree> trees) {
        var alive = new LinkedHashSet<ProcessHandle>();
        for (var tree : trees) {
            alive.addAll(tree.alive());
        }
        return alive;
    }

    /// Returns whether it was not interrupted.
    private static boolean resume(Collection<ProcessHandle> processes) {
        try {
            Signal.CONT.send(processes);
        } catch (IOException failed) {
            // SIGKILL reaches the paused as well.
        } catch (InterruptedException hurry) {
            return false;
        }
        return true;
    }

    /// Returns whether it was not interrupted.
    private static boolean awaitEnd(Collection<ProcessHandle> processes, Duration patience) {
        try {
            Wait.until(() -> processes.stream().noneMatch(ProcessTree::isAlive), patience);
        } catch (InterruptedException hurry) {
            return false;
        }
        return true;
    }
}
