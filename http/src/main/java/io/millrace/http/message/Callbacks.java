package io.millrace.http.message;

import io.millrace.loop.LoopLog;
import java.lang.System.Logger.Level;

/// Calls of user code that is told something and asked nothing.
public final class Callbacks {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    private Callbacks() {}

    /// Calls it. What it throws is logged.
    public static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a callback threw", e);
        }
    }
}
