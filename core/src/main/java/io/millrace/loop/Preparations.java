package io.millrace.loop;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/// What the first connection of a server needs and takes long to load, a TLS handshake for instance: it is loaded on
/// threads of its own while the program starts, and before a server listens, because it would keep a loop. Any thread.
public final class Preparations {
    /// A server that waits for longer is worse than one whose first connections wait.
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final ConcurrentLinkedQueue<Thread> UNDER_WAY = new ConcurrentLinkedQueue<>();

    private Preparations() {}

    /// Begins to load something.
    ///
    /// @param name of its thread
    public static void begin(String name, Runnable load) {
        UNDER_WAY.add(Thread.ofPlatform().daemon().name(name).start(load));
    }

    /// Waits for what was begun. On a loop it does not wait.
    public static void await() {
        if (UNDER_WAY.isEmpty() || EventLoop.isCallerTurning()) return;
        long endNanos = System.nanoTime() + PATIENCE_NANOS;
        try {
            for (var one : UNDER_WAY) {
                TimeUnit.NANOSECONDS.timedJoin(one, endNanos - System.nanoTime());
                UNDER_WAY.remove(one);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
