package io.millrace.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// What a test does between two looks at something that others bring about. Spinning would take the processor from
/// them.
public final class Waiting {
    private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Waiting() {}

    /// Returns at once on a thread that is interrupted, as that of a test which had its time.
    public static void briefly() {
        LockSupport.parkNanos(MOMENT_NANOS);
    }
}
