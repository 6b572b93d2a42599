package io.millrace.loop;

import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Connects to somebody, on a loop; a name is looked up elsewhere first, because a lookup blocks.
public final class Connector {
    private static final long NEVER = Long.MIN_VALUE;

    private final EventLoop loop;
    private final ConnectionSettings settings;
    private final SocketOptions options;
    private final long timeoutNanos;

    /// @param timeoutNanos how long lookup and handshake may take together; 0 for as long as it takes
    public Connector(EventLoop loop, ConnectionSettings settings, SocketOptions options, long timeoutNanos) {
        this.loop = loop;
        this.settings = settings;
        this.options = options;
        this.timeoutNanos = timeoutNanos;
    }

    /// Starts an attempt, from any thread; the origin hears on the loop what became of it.
    public void connect(SocketAddress to, Attempt attempt) {
        var coming = loop.totals().coming;
        coming.incrementAndGet();
        try {
            loop.execute(() -> {
                coming.decrementAndGet();
                begin(to, attempt);
            });
        } catch (RejectedExecutionException e) {
            coming.decrementAndGet();
            throw e;
        }
    }

    /// For those who block until they are connected.
    ///
    /// @throws IllegalStateException when the caller is the loop itself, which cannot wait for its own work
    public void checkMayWait() {
        if (!loop.inLoop() || Thread.currentThread().isVirtual()) return;
        throw new IllegalStateException("connecting would wait for the event loop it was called on: connect with a"
                + " handler, in direct style, or in conn.loop().blocking(…)");
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

    private void begin(SocketAddress to, Attempt attempt) {
        long deadlineNanos = timeoutNanos == 0 ? NEVER : loop.nowNanos() + timeoutNanos;
        if (to instanceof InetSocketAddress named && named.isUnresolved()) lookUp(named, deadlineNanos, attempt);
        else start(to, deadlineNanos, attempt);
    }

    private void lookUp(InetSocketAddress named, long deadlineNanos, Attempt attempt) {
        var lookup = loop.blocking(() -> resolve(named)).toCompletableFuture();
        var timer = deadlineNanos == NEVER
                ? null
                : loop.timers().schedule(deadlineNanos, () -> {
                    lookup.completeExceptionally(new TimedOut(tookTooLong(named)));
                });
        CompletionStage<SocketAddress> result = lookup;
        result.whenComplete((found, failure) -> {
            if (timer != null) timer.cancel();
            resolved(found, failure, deadlineNanos, attempt);
        });
    }

    private static SocketAddress resolve(InetSocketAddress named) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(named.getHostString()), named.getPort());
    }

    private void resolved(
            @Nullable SocketAddress found, @Nullable Throwable failure, long deadlineNanos, Attempt attempt) {
        if (loop.isClosed()) {
            attempt.failed(new Reset("the event loop was closed before the connection was tried"));
        } else if (found != null) {
            start(found, deadlineNanos, attempt);
        } else if (failure instanceof UnknownHostException unknown) {
            attempt.failed(new Refused("unknown host " + unknown.getMessage()));
        } else {
            attempt.failed(
                    failure instanceof TimedOut timedOut ? timedOut : new IOException("name lookup failed", failure));
        }
    }

    private void start(SocketAddress to, long deadlineNanos, Attempt attempt) {
        try {
            int socket = loop.transport().connect(to, options);
            var connection = new TcpConnection(loop, socket, false, settings, attempt);
            attempt.started(connection);
            if (deadlineNanos != NEVER) connection.deadline(deadlineNanos, () -> giveUp(connection, to));
        } catch (IOException e) {
            attempt.failed(e);
        } catch (RuntimeException e) {
            // An option or an address that the transport does not know: whoever waits has to hear of it.
            attempt.failed(new IOException(e.getMessage(), e));
        }
    }

    private void giveUp(TcpConnection connection, SocketAddress to) {
        if (connection.state() != TcpConnection.State.CONNECTING) return;
        var detail = tookTooLong(to);
        Guard.CONNECT_TIMEOUT.acted(to, detail);
        connection.fail(new TimedOut(detail));
    }

    private String tookTooLong(SocketAddress to) {
        return "no connection to " + to + " within " + timeoutNanos / 1_000_000 + " ms ("
                + Guard.CONNECT_TIMEOUT.label() + ")";
    }
}
