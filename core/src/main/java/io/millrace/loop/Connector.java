package io.millrace.loop;

import io.millrace.net.TimedOut;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Connects to somebody, on a loop; a name is looked up elsewhere first, because a lookup blocks.
public final class Connector {
    private final EventLoop loop;
    private final ConnectionSettings settings;
    private final SocketOptions options;
    private final long timeoutNanos;

    /// @param timeoutNanos how long lookup and handshake may take together
    public Connector(EventLoop loop, ConnectionSettings settings, SocketOptions options, long timeoutNanos) {
        this.loop = loop;
        this.settings = settings;
        this.options = options;
        this.timeoutNanos = timeoutNanos;
    }

    /// Starts an attempt, from any thread; the origin hears on the loop what became of it.
    public void connect(SocketAddress to, Attempt attempt) {
        if (to instanceof InetSocketAddress named && named.isUnresolved()) {
            loop.blocking(lookup(named)).whenComplete((found, failure) -> resolved(found, failure, attempt));
        } else {
            loop.execute(() -> start(to, attempt));
        }
    }

    /// Who knows how to wait for the result.
    public LoopHost host() {
        return loop.host();
    }

    /// Somebody who wants a connection; told on the loop.
    public interface Attempt extends TcpConnection.Origin {
        /// It could not even be tried.
        void failed(IOException cause);

        /// The attempt is under way; the connection can be aborted.
        default void started(TcpConnection connection) {}
    }

    private static Callable<SocketAddress> lookup(InetSocketAddress named) {
        return () -> new InetSocketAddress(InetAddress.getByName(named.getHostString()), named.getPort());
    }

    private void resolved(@Nullable SocketAddress found, @Nullable Throwable failure, Attempt attempt) {
        if (found != null) {
            start(found, attempt);
        } else if (failure instanceof UnknownHostException unknown) {
            attempt.failed(new io.millrace.net.Refused("unknown host " + unknown.getMessage()));
        } else {
            attempt.failed(new IOException("name lookup failed", failure));
        }
    }

    private void start(SocketAddress to, Attempt attempt) {
        try {
            int socket = loop.transport().connect(to, options);
            var connection = new TcpConnection(loop, socket, false, settings, attempt);
            attempt.started(connection);
            loop.timers().schedule(loop.nowNanos() + timeoutNanos, () -> giveUp(connection, to));
        } catch (IOException e) {
            attempt.failed(e);
        }
    }

    private void giveUp(TcpConnection connection, SocketAddress to) {
        if (connection.state() != TcpConnection.State.CONNECTING) return;
        var detail = "no connection to " + to + " within " + timeoutNanos / 1_000_000 + " ms ("
                + Guard.CONNECT_TIMEOUT.label() + ")";
        Guard.CONNECT_TIMEOUT.acted(to, detail);
        connection.fail(new TimedOut(detail));
    }
}
