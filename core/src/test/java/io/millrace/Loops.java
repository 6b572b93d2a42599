package io.millrace;

import java.time.Duration;

/// The kinds of event loops that every socket test runs on.
enum Loops {
    NIO(TransportKind.NIO, true),
    NIO_WITHOUT_CARRIERS(TransportKind.NIO, false),
    EPOLL(TransportKind.EPOLL, true),
    EPOLL_WITHOUT_CARRIERS(TransportKind.EPOLL, false);

    private final TransportKind transport;
    private final boolean carries;

    Loops(TransportKind transport, boolean carries) {
        this.transport = transport;
        this.carries = carries;
    }

    EventLoops start(int threads) {
        return setup().threads(threads).start();
    }

    /// One loop whose watchdog reports a turn that is longer.
    EventLoops watched(Duration stall) {
        return setup().threads(1).stall(stall).start();
    }

    private EventLoops.Setup setup() {
        return EventLoops.configure().transport(transport).carriers(carries);
    }
}
