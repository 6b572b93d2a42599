package io.millrace.testing;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Ends the processes that a test leaves behind, and fails the test for it. For every test that starts any: one that
/// times out is left waiting, mostly for a line of its child, and cannot end it by itself. A child that stays would
/// hold the pipe that Maven reads until its end.
///
/// What has lost its parent is nobody's child any more, and the test's own business.
public final class EndsChildren implements BeforeEachCallback, AfterEachCallback {
    private static final int PATIENCE_SECONDS = 2;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endAll(Set.of()), "ends-children"));
    }

    /// What is there already belongs to all tests of a class, a browser for instance.
    private final Set<ProcessHandle> others = ConcurrentHashMap.newKeySet();

    @Override
    public void beforeEach(ExtensionContext test) {
        others.clear();
        ProcessHandle.current().children().forEach(others::add);
    }

    @Override
    public void afterEach(ExtensionContext test) {
        var left = endAll(others);
        if (!left.isEmpty()) throw new AssertionError("left behind, and ended now: " + String.join(", ", left));
    }

    /// Until there are none, because they may start others meanwhile. One whose parent has ended need not be waited
    /// for: it belongs to the system.
    ///
    /// @return what was there
    private static List<String> endAll(Set<ProcessHandle> others) {
        var left = children(others);
        var names = left.stream()
                .filter(EndsChildren::stays)
                .map(EndsChildren::describe)
                .toList();
        for (; !left.isEmpty(); left = children(others)) {
            left.forEach(ProcessHandle::destroyForcibly);
            Waiting.briefly();
        }
        return names;
    }

    private static List<ProcessHandle> children(Set<ProcessHandle> others) {
        return ProcessHandle.current()
                .children()
                .filter(child -> !others.contains(child))
                .flatMap(child -> Stream.concat(Stream.of(child), child.descendants()))
                .filter(ProcessHandle::isAlive)
                .collect(Collectors.toList());
    }

    /// One that the test has ended may take a moment to go.
    private static boolean stays(ProcessHandle process) {
        try {
            process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String describe(ProcessHandle process) {
        return process.pid() + " " + process.info().commandLine().orElse("");
    }
}
