package io.millrace.loop;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Calls of handlers on virtual threads that the loop carries. A thread makes one call after the other until one
/// waits; the next thread goes on with the rest then, and the first one ends with its call. So a call costs the
/// start of a thread only if it waits, or leaves something behind in its thread.
final class CarriedCalls implements Executor {
    private final EventLoop loop;
    private final ArrayDeque<Runnable> calls = new ArrayDeque<>();
    private final Runnable work = this::work;

    /// How many more calls this turn makes.
    private int left;

    CarriedCalls(EventLoop loop) {
        this.loop = loop;
    }

    @Override
    public void execute(Runnable call) {
        calls.add(call);
    }

    boolean areWaiting() {
        return !calls.isEmpty();
    }

    /// Makes the calls that have come up so far, in a turn. By the loop's own thread.
    ///
    /// @return whether there were any
    boolean run() {
        if (calls.isEmpty()) return false;
        if (loop.isClosed()) leave();
        for (left = calls.size(); left > 0; ) {
            loop.threads().startHandler(work);
            loop.runReady();
        }
        return true;
    }

    /// The loop carries nobody any more: the JDK's scheduler runs the last calls.
    private void leave() {
        while (!calls.isEmpty()) loop.threads().startHandler(calls.remove());
    }

    private void work() {
        do {
            var call = next();
            if (call == null) return;
            try {
                call.run();
            } catch (Throwable e) {
                loop.failed("handler", e);
            }
            // The next call must not find what this one left: an interrupt, or somebody else's identity.
        } while (!LoopThreads.isUsed());
    }

    private @Nullable Runnable next() {
        if (left == 0) return null;
        left--;
        return calls.poll();
    }
}
