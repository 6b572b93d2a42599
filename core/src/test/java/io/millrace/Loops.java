package io.millrace;

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
        return EventLoops.configure()
                .threads(threads)
                .transport(transport)
                .carriers(carries)
                .start();
    }
}
