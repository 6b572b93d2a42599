package io.millrace.transport;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.NetworkChannel;

/// A connection for which the system had no descriptor: it can only report that, and be closed.
final class NioUnopened extends NioSocket {
    private final SocketAddress remote;
    private final IOException failure;
    private boolean isClosed;

    NioUnopened(SocketAddress remote, IOException failure) {
        this.remote = remote;
        this.failure = failure;
    }

    @Override
    void deliver(Completions to) {
        if (isClosed) return;
        to.failed(number, NioFailures.kind(failure, Failure.NO_RESOURCES), NioFailures.connect(remote, failure));
    }

    @Override
    void close() {
        isClosed = true;
    }

    @Override
    void receive(boolean on) {}

    @Override
    void ready(int operations, Completions to) {}

    @Override
    public SocketAddress local() {
        return NioAddresses.unbound(remote);
    }

    @Override
    public SocketAddress remote() {
        return remote;
    }

    @Override
    NetworkChannel channel() throws IOException {
        throw new SocketException(NioFailures.connect(remote, failure));
    }
}
