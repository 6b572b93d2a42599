package io.millrace.http.message;

import io.millrace.loop.LoopLog;
import java.lang.System.Logger.Level;

/// Runs callbacks of user code.
public final class Callbacks {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    private Callbacks() {}

    /// Runs it; an exception is logged.
    public static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a callback threw", e);
        }
    }
}
