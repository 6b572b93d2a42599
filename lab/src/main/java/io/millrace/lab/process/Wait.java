package io.millrace.lab.process;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for conditions that are not signalled, by polling.
final class Wait {
    private static final long PAUSE_MILLIS = 5;

    private Wait() {}

    /// Asks every 5 ms.
    ///
    /// @return whether it became true within the time
    static boolean until(BooleanSupplier isSo, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        return true;
    }
}
