package io.millrace.proxy;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.TunnelSide;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Overloaded;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.proxy.announce.ReceivingLink.PassingLink;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.Outcome;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// One client connection, and the backends that are tried for it until one is connected.
///
/// ```
///   choose ──► CONNECTING ──connected──► TUNNEL ──its backend's side closes──► ended
///     ▲            │
///     └── again ───┤ failed                                  each backend that began() has ended() once
///                  └── the last one ──► the client is reset
/// ```
/// It chooses on the client's loop. Nothing is read from the client before the tunnel is open, so any
/// backend may be next.
final class Tunnelled {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    private final TcpUpstream upstream;
    private final Backends backends;
    private final Connection client;

    /// The loop of the backend's connection.
    private final EventLoop loop;

    private final EventLoop clientLoop;
    private final TunnelSide side;
    private final long key;
    private final Bytes header;

    /// Set by a stage of its own.
    private final boolean isAnnouncedBefore;

    private final List<Backend> tried = new ArrayList<>(1);
    private int attempts;

    Tunnelled(TcpUpstream upstream, Backends backends, Connection client, EventLoop loop) {
        this.upstream = upstream;
        this.backends = backends;
        this.client = client;
        this.loop = loop;
        this.clientLoop = EventLoop.of(client.loop());
        this.side = TunnelSide.of(TcpConnection.of(client), loop);
        this.key = upstream.keyOf(client);
        this.header = upstream.settings()
                .sendProxyProtocol()
                .map(version -> ProxyProtocol.header(version, client.remote(), client.local()))
                .orElse(Bytes.EMPTY);
        this.isAnnouncedBefore =
                header.length() > 0 && upstream.settings().tls().isPresent();
    }

    TunnelSide side() {
        return side;
    }

    void begin() {
        backends.retries().asked();
        tryNext("");
    }

    /// @param before the result of the last attempt, as a text
    private void tryNext(String before) {
        long now = clientLoop.nowNanos();
        var chosen = backends.choose(key, tried, now);
        while (chosen != null && !mayConnect(chosen, now)) {
            tried.add(chosen);
            chosen = backends.choose(key, tried, now);
        }
        if (chosen == null) {
            giveUp(backends + ": " + backends.noBackend(tried).reason() + before);
            return;
        }
        tried.add(chosen);
        attempts++;
        new Attempt(chosen, now).connect();
    }

    /// Reserves a place at a backend, if there is one.
    private static boolean mayConnect(Backend backend, long now) {
        if (!backend.began()) return false;
        if (backend.connections().take()) return true;
        backend.ended(Outcome.ABANDONED, 0, now);
        return false;
    }

    private void giveUp(String why) {
        CoreGuards.UPSTREAM.acted(client.remote(), why);
        client.abort();
    }

    /// A backend that is being connected, or is connected. On the loop of that connection, except for the
    /// beginning.
    private final class Attempt implements TunnelSide.Witness {
        private final Backend backend;
        private final long beganNanos;
        private boolean isConnected;
        private boolean isOver;

        Attempt(Backend backend, long beganNanos) {
            this.backend = backend;
            this.beganNanos = beganNanos;
        }

        void connect() {
            var to = Connect.to(backend.address())
                    .loop(loop)
                    .timeout(upstream.settings().timeouts().connect())
                    .idleTimeout(upstream.settings().timeouts().idle());
            // Before TLS, not inside it.
            var announced = isAnnouncedBefore ? to.through(_ -> new PassingLink(header)) : to;
            try {
                var secured = UpstreamCore.secured(
                        announced, backend.address(), upstream.settings().tls());
                var _ = Tcp.connect(secured, this::connected).whenComplete((_, failure) -> {
                    if (failure != null) failed(failure);
                });
            } catch (RejectedExecutionException e) {
                failed(new Reset("the event loops of the upstream are closed"));
            } catch (RuntimeException e) {
                // No certificate can be for its host.
                failed(e);
            }
        }

        private Handler connected(Connection connection) {
            isConnected = true;
            if (header.length() > 0 && !isAnnouncedBefore) connection.output().write(header);
            return side.connected(TcpConnection.of(connection), this);
        }

        @Override
        public void upstreamClosed(@Nullable IOException cause, long receivedBytes) {
            boolean isItsFault = cause instanceof Reset && receivedBytes == 0;
            over(isItsFault ? Outcome.RESET : Outcome.SUCCESS);
        }

        private void failed(Throwable failure) {
            LOG.log(Level.DEBUG, () -> backend + " cannot be reached: " + failure);
            var outcome = outcome(failure);
            if (outcome != Outcome.ABANDONED)
                backend.unreachable(String.valueOf(failure.getMessage()), loop.nowNanos());
            over(outcome);
            try {
                clientLoop.execute(() -> goOn(failure));
            } catch (RejectedExecutionException _) {
                // Its loop has ended, and so has the client's connection.
            }
        }

        private Outcome outcome(Throwable failure) {
            // The client left at the same moment.
            if (isConnected) return Outcome.ABANDONED;
            return switch (failure) {
                case TimedOut _ -> Outcome.TIMED_OUT;
                // This machine has no descriptor left, or no port.
                case Overloaded _ -> Outcome.ABANDONED;
                default -> Outcome.NOT_CONNECTED;
            };
        }

        /// On the client's loop.
        private void goOn(Throwable failure) {
            if (side.isClosed()) return;
            var why = backend + ": " + failure.getMessage();
            if (attempts >= upstream.settings().retries().attempts())
                giveUp(backends + ": " + attempts + " were tried; the last one was " + why);
            else if (backends.retries().take(clientLoop.nowNanos())) tryNext(", after " + why);
            else giveUp(backends + ": no retry is left after " + why);
        }

        /// A connection that closes while its side of the tunnel is made gets both calls, for the failure
        /// and the close.
        private void over(Outcome outcome) {
            if (isOver) return;
            isOver = true;
            long now = loop.nowNanos();
            backend.connections().give();
            // Clocks of loops are a turn apart.
            backend.ended(outcome, Math.max(0, now - beganNanos), now);
        }
    }
}
