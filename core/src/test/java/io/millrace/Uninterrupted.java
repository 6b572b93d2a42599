package io.millrace;

import java.util.concurrent.CountDownLatch;

/// Waits of handlers that take no notice of interrupts.
final class Uninterrupted {
    private Uninterrupted() {}

    static void await(CountDownLatch latch) {
        boolean wasInterrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) Thread.currentThread().interrupt();
    }
}
