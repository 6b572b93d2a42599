package io.millrace.testing;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Ends the processes that a test leaves behind, and fails the test for it. For every test that starts any: one that
/// times out is left waiting, mostly for a line of its child, and cannot end it by itself. A child that stays would
/// hold the pipe that Maven reads until its end.
///
/// What has lost its parent is nobody's child any more, and the test's own business.
public final class EndsChildren implements AfterEachCallback {
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(EndsChildren::endAll, "ends-children"));
    }

    @Override
    public void afterEach(ExtensionContext test) {
        var left = endAll();
        if (!left.isEmpty()) throw new AssertionError("left behind, and ended now: " + String.join(", ", left));
    }

    /// Until there are none, because they may start others meanwhile. One whose parent has ended need not be waited
    /// for: it belongs to the system.
    ///
    /// @return what was there
    private static List<String> endAll() {
        var left = children();
        var names = left.stream().map(EndsChildren::describe).toList();
        for (; !left.isEmpty(); left = children()) {
            left.forEach(ProcessHandle::destroyForcibly);
            Thread.onSpinWait();
        }
        return names;
    }

    private static List<ProcessHandle> children() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .collect(Collectors.toList());
    }

    private static String describe(ProcessHandle process) {
        return process.pid() + " " + process.info().commandLine().orElse("");
    }
}
