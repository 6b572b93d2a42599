package io.millrace;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Waits for what other threads bring about; a test that waits in vain ends by its timeout.
final class Eventually {
    private static final long LOOK_AGAIN_NANOS = 500_000;

    private static final int LOOKS = 100;

    private Eventually() {}

    static void until(BooleanSupplier isTrue) {
        while (!isTrue.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) throw new AssertionError("interrupted while waiting");
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /// Waits until a number has stayed the same for so long, and fails when it never does.
    static void untilStill(String what, LongSupplier number, long forMillis) throws Exception {
        for (int i = 0; i < LOOKS; i++) {
            long before = number.getAsLong();
            new CompletableFuture<>()
                    .completeOnTimeout(null, forMillis, TimeUnit.MILLISECONDS)
                    .get();
            if (before == number.getAsLong()) return;
        }
        throw new AssertionError(what + " do not come to rest");
    }

    /// Waits until the first loop has turned so often, which what was handed to it before cannot outlast.
    static void turns(EventLoops loops, int count) throws Exception {
        var loop = loops.group().loops().getFirst();
        for (int i = 0; i < count; i++)
            CompletableFuture.runAsync(() -> {}, loop).get();
    }
}
