package io.millrace.loop;

import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.Resolver;
import io.millrace.net.TimedOut;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Connects to an address, on a loop; a name is looked up elsewhere first, because a lookup blocks.
public final class Connector {
    private static final long NEVER = Long.MIN_VALUE;

    private final EventLoop loop;
    private final ConnectionSettings settings;
    private final SocketOptions options;
    private final @Nullable InetSocketAddress from;
    private final Resolver resolver;
    private final long timeoutNanos;

    /// @param from         the local address, null for any
    /// @param timeoutNanos how long lookup and handshake may take together; 0 for no limit
    public Connector(
            EventLoop loop,
            ConnectionSettings settings,
            SocketOptions options,
            @Nullable InetSocketAddress from,
            Resolver resolver,
            long timeoutNanos) {
        this.loop = loop;
        this.settings = settings;
        this.options = options;
        this.from = from;
        this.resolver = resolver;
        this.timeoutNanos = timeoutNanos;
    }

    /// Starts an attempt, from any thread; the origin is told the result on the loop.
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

    /// The loop on which the origin is told the result.
    public EventLoop loop() {
        return loop;
    }

    /// Gets the connection, on the loop. It is not told of connections that failed on the way.
    public interface Attempt extends ConnectionOrigin {
        /// There will be no connection.
        void failed(IOException cause);
    }

    private void begin(SocketAddress to, Attempt attempt) {
        long deadlineNanos = timeoutNanos == 0 ? NEVER : loop.nowNanos() + timeoutNanos;
        if (to instanceof InetSocketAddress named && named.isUnresolved()) lookUp(named, deadlineNanos, attempt);
        else start(to, List.of(to), deadlineNanos, attempt);
    }

    private void lookUp(InetSocketAddress named, long deadlineNanos, Attempt attempt) {
        var lookup = loop.blocking(() -> resolve(named)).toCompletableFuture();
        var timer = deadlineNanos == NEVER
                ? null
                : loop.timers().schedule(deadlineNanos, () -> {
                    lookup.completeExceptionally(new TimedOut(tookTooLong(named)));
                });
        CompletionStage<List<InetSocketAddress>> result = lookup;
        result.whenComplete((found, failure) -> {
            if (timer != null) timer.cancel();
            if (loop.isClosed()) attempt.failed(new Reset("the event loop was closed before the connection was tried"));
            else if (found != null) start(named, found, deadlineNanos, attempt);
            else attempt.failed(lookupFailure(failure));
        });
    }

    private List<InetSocketAddress> resolve(InetSocketAddress named) throws UnknownHostException {
        var found = resolver.resolve(named.getHostString());
        if (found.isEmpty()) throw new UnknownHostException(named.getHostString());
        return byTurns(found).stream()
                .map(address -> new InetSocketAddress(address, named.getPort()))
                .toList();
    }

    /// Alternates the address families, so that one that does not work costs one wait (RFC 8305 section 4).
    static List<InetAddress> byTurns(List<InetAddress> addresses) {
        var first = new ArrayDeque<InetAddress>();
        var second = new ArrayDeque<InetAddress>();
        for (var address : addresses) {
            (address.getClass() == addresses.getFirst().getClass() ? first : second).add(address);
        }
        var turns = new ArrayList<InetAddress>();
        while (!first.isEmpty() || !second.isEmpty()) {
            if (!first.isEmpty()) turns.add(first.remove());
            if (!second.isEmpty()) turns.add(second.remove());
        }
        return turns;
    }

    private static IOException lookupFailure(@Nullable Throwable failure) {
        return switch (failure) {
            case UnknownHostException unknown -> new Refused("unknown host " + unknown.getMessage());
            case TimedOut timedOut -> timedOut;
            case null, default -> new IOException("name lookup failed", failure);
        };
    }

    private void start(SocketAddress to, List<? extends SocketAddress> addresses, long deadlineNanos, Attempt attempt) {
        var reachable = addresses.stream().filter(this::isOfOurFamily).toList();
        if (reachable.isEmpty()) {
            attempt.failed(new Refused(to + " has no address of the same family as the local address " + from));
            return;
        }
        var race = new Race(loop, settings, options, from, reachable, attempt);
        if (deadlineNanos == NEVER) race.start();
        else race.start(deadlineNanos, to, tookTooLong(to));
    }

    private boolean isOfOurFamily(SocketAddress address) {
        return from == null
                || (address instanceof InetSocketAddress inet
                        && inet.getAddress().getClass() == from.getAddress().getClass());
    }

    private String tookTooLong(SocketAddress to) {
        return "no connection to " + to + " within " + timeoutNanos / 1_000_000 + " ms ("
                + CoreGuards.CONNECT_TIMEOUT.name() + ")";
    }
}
