package io.millrace.transport;

import static java.nio.channels.SelectionKey.OP_ACCEPT;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A listener of [Nio]. While it accepts, each event takes what the kernel holds, up to a limit; when accepting
/// fails it stops, because the selector would keep reporting the same connection.
final class NioListener extends NioSocket {
    private final ServerSocketChannel channel;
    private final SocketAddress local;
    private final @Nullable UnixPath path;
    private @Nullable SelectionKey key;
    private boolean isAccepting;

    /// Binds and listens.
    NioListener(SocketAddress at, Transport.ListenOptions options) throws IOException {
        channel = open(at);
        try {
            configure(at, options);
            channel.bind(at, options.backlog());
            local = channel.getLocalAddress();
            path = UnixPath.boundTo(local);
        } catch (IOException failure) {
            channel.close();
            throw new IOException(NioFailures.listen(at, failure), failure);
        } catch (RuntimeException mistake) {
            channel.close();
            throw mistake;
        }
    }

    void register(Selector selector) throws IOException {
        key = channel.register(selector, 0, this);
    }

    @Override
    void receive(boolean on) {
        isAccepting = on;
        if (key != null && key.isValid()) key.interestOps(on ? OP_ACCEPT : 0);
    }

    @Override
    void ready(int operations, Completions to) {
        for (int i = 0; i < Portions.ACCEPTS && isAccepting; i++) {
            SocketChannel accepted;
            try {
                accepted = channel.accept();
            } catch (IOException failure) {
                receive(false);
                to.failed(number, NioFailures.kind(failure, Failure.NO_RESOURCES), NioFailures.accept(local, failure));
                return;
            }
            if (accepted == null) return;
            to.accepted(number, new NioAccepted(accepted));
        }
    }

    @Override
    void deliver(Completions to) {}

    @Override
    void close() {
        if (!channel.isOpen()) return;
        isAccepting = false;
        if (path != null) path.unlink();
        NioFailures.closeQuietly(channel);
    }

    @Override
    public SocketAddress local() {
        return local;
    }

    @Override
    public SocketAddress remote() {
        return NioAddresses.unbound(local);
    }

    @Override
    ServerSocketChannel channel() {
        return channel;
    }

    private static ServerSocketChannel open(SocketAddress at) throws IOException {
        var family = NioAddresses.family(at);
        try {
            return ServerSocketChannel.open(family);
        } catch (UnsupportedOperationException _) {
            throw NioAddresses.unsupported(at);
        } catch (IOException failure) {
            throw new IOException(NioFailures.listen(at, failure), failure);
        }
    }

    private void configure(SocketAddress at, Transport.ListenOptions options) throws IOException {
        if (options.v6Only() && isWildcardV6(at)) {
            throw new UnsupportedOperationException("nio cannot exclude IPv4 connections on " + NioAddresses.text(at)
                    + ": use the epoll transport, or listen on one IPv6 address");
        }
        channel.configureBlocking(false);
        if (options.reusePort()) NioOptions.set(channel, StandardSocketOptions.SO_REUSEPORT, true);
        NioOptions.check(at, options.accepted());
        // A connection's window is fixed before it is accepted, so its buffer size must be, too.
        var receiveBuffer = options.accepted().values().get(StandardSocketOptions.SO_RCVBUF);
        if (receiveBuffer != null) NioOptions.set(channel, StandardSocketOptions.SO_RCVBUF, receiveBuffer);
    }

    private static boolean isWildcardV6(SocketAddress at) {
        return at instanceof InetSocketAddress inet
                && inet.getAddress() instanceof Inet6Address address
                && address.isAnyLocalAddress();
    }
}
