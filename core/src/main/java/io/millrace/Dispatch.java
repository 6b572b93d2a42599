package io.millrace;

/// Where the handlers of a callback server run. The order of one connection's calls is kept everywhere, and a
/// connection whose handler is busy holds no more than its input limit.
public sealed interface Dispatch {
    /// On the connection's loop: fastest, and must not block.
    static Dispatch loop() {
        return new OnLoop();
    }

    /// On a virtual thread, which may block: carried by the connection's loop where the JDK lets it and the handlers
    /// have earned that ([EventLoops.Setup#earnAfter]), on the JDK's scheduler before. A carried call that
    /// did not wait lends its thread to the next one, which finds no thread locals, interrupt, name or context
    /// class loader of it.
    static Dispatch virtual() {
        return new OnVirtual();
    }

    /// On a pool of platform threads, which may block and compute. Each server has its own; its threads end when the
    /// server has drained or closed, each with the call that it is making.
    ///
    /// @param threads 1 or more
    static Dispatch pool(int threads) {
        return new OnPool(threads);
    }

    record OnLoop() implements Dispatch {}

    record OnVirtual() implements Dispatch {}

    record OnPool(int threads) implements Dispatch {
        public OnPool {
            if (threads < 1) throw new IllegalArgumentException("a pool of " + threads + " threads: give it 1 or more");
        }
    }
}
