package io.millrace;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for what other threads bring about; a test that waits in vain ends by its timeout.
final class Eventually {
    private static final long LOOK_AGAIN_NANOS = 500_000;

    private Eventually() {}

    static void until(BooleanSupplier isTrue) {
        while (!isTrue.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) throw new AssertionError("interrupted while waiting");
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }
}
