package io.millrace;

/// Where the handlers of a callback server run. All of them keep the order of one connection's calls, and a
/// connection whose handler is busy holds no more than its input limit.
public sealed interface Dispatch {
    /// On the connection's loop: fastest, and must not block.
    static Dispatch loop() {
        return new OnLoop();
    }

    /// On a virtual thread, which may block: on the JDK's scheduler at first, carried by the connection's loop once
    /// the handlers have earned that ([EventLoops.Setup#earnAfter]), if the JDK allows it. A carried call that did
    /// not wait leaves its thread to the next one, which does not see its thread locals, interrupt, name or context
    /// class loader.
    static Dispatch virtual() {
        return new OnVirtual();
    }

    /// On a pool of platform threads, which may block and compute. Each server has its own; when the server has
    /// drained or closed, each thread ends after its current call.
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
