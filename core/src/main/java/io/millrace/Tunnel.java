package io.millrace;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.Derived;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.TunnelSide;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// A layer-4 proxy: moves bytes between a client and an upstream, in both directions, without copying them.
/// Half-closes and back-pressure pass through in both directions; a reset of one side resets the other.
///
/// ```java
/// Tcp.listen(8080, Tunnel.to(new InetSocketAddress("10.0.0.1", 80)));
/// ```
/// Immutable: setting a property returns a copy; without an argument, the same name reads it. Any thread.
@CheckReturnValue
public final class Tunnel implements HandlerFactory {
    private final List<SocketAddress> upstreams;
    private final Duration timeout;
    private final Optional<EventLoops> loops;
    private final Derived derived;
    private final AtomicInteger turn = new AtomicInteger();

    private Tunnel(List<SocketAddress> upstreams, Duration timeout, Optional<EventLoops> loops, Derived derived) {
        this.upstreams = upstreams;
        this.timeout = timeout;
        this.loops = loops;
        this.derived = derived;
    }

    /// Each connection goes to the next of these addresses in turn.
    public static Tunnel to(SocketAddress... upstreams) {
        if (upstreams.length == 0) throw new IllegalArgumentException("a tunnel needs an upstream address");
        return new Tunnel(
                List.copyOf(Arrays.asList(upstreams)), Duration.ofSeconds(5), Optional.empty(), Derived.first());
    }

    /// How long connecting to the upstream may take; by default 5 s.
    public Tunnel connectTimeout(Duration limit) {
        return new Tunnel(upstreams, limit, loops, derived.next("connectTimeout"));
    }

    public Duration connectTimeout() {
        return timeout;
    }

    /// Puts each upstream connection on the loop of this group that has the fewest connections. By default an
    /// upstream connection lives on its client's loop, which saves passing every byte between threads.
    public Tunnel upstreamLoops(EventLoops group) {
        return new Tunnel(upstreams, timeout, Optional.of(group), derived.next("upstreamLoops"));
    }

    public Optional<EventLoops> upstreamLoops() {
        return loops;
    }

    @Override
    public Handler open(Connection client) {
        client.pause();
        var upstream = upstreams.get(Math.floorMod(turn.getAndIncrement(), upstreams.size()));
        Loop loop = loops.map(EventLoops::next).orElse(client.loop());
        var side = TunnelSide.of(TcpConnection.of(client), EventLoop.of(loop));
        var to = Connect.to(upstream).loop(loop).timeout(timeout);
        Tcp.connect(to, side::connected).whenComplete((connection, failure) -> {
            // On the client's loop: asking for its address from the upstream's loop would delay that loop.
            if (failure != null)
                client.loop().execute(() -> {
                    // Otherwise the client has left meanwhile.
                    if (!side.isClosed()) refuse(client, upstream, failure);
                });
        });
        return side;
    }

    /// It writes to two connections. Whoever starts a server asks this first.
    ///
    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    @Override
    public boolean needsLoop() {
        derived.use();
        return true;
    }

    private static void refuse(Connection client, SocketAddress upstream, Throwable failure) {
        CoreGuards.UPSTREAM.acted(
                client.remote(), "its upstream " + Wording.of(upstream) + ": " + failure.getMessage());
        client.abort();
    }
}
