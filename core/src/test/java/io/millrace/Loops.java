package io.millrace;

import static org.junit.jupiter.api.Assumptions.abort;

import java.time.Duration;
import java.util.Optional;

/// The kinds of event loops that every socket test runs on.
enum Loops {
    NIO(TransportKind.NIO, true),
    NIO_WITHOUT_CARRIERS(TransportKind.NIO, false),
    EPOLL(TransportKind.EPOLL, true),
    EPOLL_WITHOUT_CARRIERS(TransportKind.EPOLL, false),
    URING(TransportKind.URING, true),
    URING_WITHOUT_CARRIERS(TransportKind.URING, false);

    private final TransportKind transport;
    private final boolean carries;

    Loops(TransportKind transport, boolean carries) {
        this.transport = transport;
        this.carries = carries;
    }

    EventLoops start(int threads) {
        return setup().threads(threads).start();
    }

    /// One loop whose watchdog reports a turn that is longer, and that carries sessions and handlers from the start.
    EventLoops watched(Duration stall) {
        return setup().threads(1).earnAfter(0).stall(stall).start();
    }

    /// One loop with little memory.
    EventLoops withMemory(long bytes) {
        return setup().threads(1).memory(bytes).start();
    }

    EventLoops.Setup setup() {
        assumeWorks();
        return EventLoops.configure().transport(transport).carriers(carries).earnAfter(earnAfter());
    }

    /// Sessions and handlers run on their loop from the start, or move there in the middle of what they do.
    private int earnAfter() {
        return transport == TransportKind.NIO ? 5 : 0;
    }

    /// The same, but whatever runs on virtual threads is carried from the start.
    EventLoops trusting(int threads) {
        return setup().threads(threads).earnAfter(0).start();
    }

    /// The other transports must work wherever the tests run; a container may forbid io_uring.
    void assumeWorks() {
        if (transport == TransportKind.URING)
            Ring.MISSING.ifPresent(why -> abort("io_uring does not work here: " + why));
    }

    private static final class Ring {
        static final Optional<String> MISSING = Transports.unavailableBecause(TransportKind.URING);
    }
}
