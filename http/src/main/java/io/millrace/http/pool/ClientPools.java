package io.millrace.http.pool;

import io.millrace.EventLoops;
import io.millrace.http.ClientFilter;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.Outbound;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upload;
import io.millrace.loop.EventLoop;
import io.millrace.net.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// All connections of a client. Each loop has pools of its own, which only it uses, so that nothing is
/// locked; threads share only the load of each loop.
///
/// ```
///   caller ── chooses a loop ──► LoopPools ── destination ──► Pool ── idle, new, or later ──► ClientConnection
/// ```
/// A client's limit is divided among the loops. Each origin begins to count at another loop: few connections
/// to many origins use all loops, and a caller that sends one request after the other always gets the same
/// connection.
public final class ClientPools implements AutoCloseable {
    private final PoolSettings settings;
    private final List<LoopPools> all = new ArrayList<>();

    /// Pools of the callers' own loops, which do not belong to the client.
    private final Map<Loop, LoopPools> guests = new ConcurrentHashMap<>();

    /// Calls that no pool may know of, because a filter delays them.
    private final Set<FilteredCall<?>> filtered = ConcurrentHashMap.newKeySet();

    private volatile boolean isClosed;

    /// The pools for new requests: these, or others once these are retired. Shared with those that were before
    /// these.
    private volatile AtomicReference<ClientPools> newest = new AtomicReference<>(this);

    public ClientPools(PoolSettings settings) {
        this.settings = settings;
        settings.loops().ifPresent(group -> {
            for (var loop : group.all()) all.add(new LoopPools(EventLoop.of(loop), settings, this));
        });
    }

    /// The reader that collects a whole response.
    public ResponseReader<Response> whole(Request request) {
        return new WholeBody(
                settings.limits().bodyBytes(),
                outbound(BuiltRequest.copyOf(request)).origin());
    }

    /// A call that goes through filters, and has not begun.
    ///
    /// @throws IllegalArgumentException for a request that must not be sent
    /// @throws IllegalStateException when the client is closed
    public <T> ClientCall<T> call(Request request, List<ClientFilter> filters, ResponseReader<T> reader) {
        if (filters.isEmpty()) return call(request, reader);
        checkOpen();
        var built = BuiltRequest.copyOf(request);
        var to = outbound(built);
        var _ = outgoing(built, to);
        return new FilteredCall<>(
                this, filters, built, to.origin(), reader, limits(built).wholeNanos());
    }

    /// A call that has not begun.
    ///
    /// @throws IllegalArgumentException for a request that must not be sent
    /// @throws IllegalStateException when the client is closed, or the request's body was written before
    <T> Call<T> call(Request request, ResponseReader<T> reader) {
        checkOpen();
        var built = BuiltRequest.copyOf(request);
        var to = outbound(built);
        var call =
                new Call<>(outgoing(built, to, reader), to.origin(), choose(to.origin()), reader, limits(built), false);
        built.upload().ifPresent(Upload::begin);
        return call;
    }

    private void checkOpen() {
        if (isClosed) throw new IllegalStateException("this client is closed: make another one");
    }

    private static Outbound outbound(BuiltRequest request) {
        return request.outbound()
                .orElseThrow(() -> new IllegalArgumentException("there is no server for " + request
                        + ": make the request with a URI, Request.get(\"http://host/path\") for instance"));
    }

    private CallLimits limits(BuiltRequest request) {
        var limits = settings.calls();
        return request.timeLimit().map(LoopPools::nanos).map(limits::withWhole).orElse(limits);
    }

    /// A call for a message that is passed on, which has not begun; the reader is called on the call's loop.
    ///
    /// @param loop for its connection; null for the client's loop with the fewest calls
    /// @param wholeNanos until its response is complete; 0 means no limit
    public <T> Call<T> call(
            OutgoingRequest request,
            Destination destination,
            @Nullable Loop loop,
            ResponseReader<T> reader,
            long wholeNanos) {
        var pools = loop == null ? least(destination) : guest(loop);
        return new Call<>(request, destination, pools, reader, settings.calls().withWhole(wholeNanos), true);
    }

    private LoopPools guest(Loop loop) {
        var known = guests.get(loop);
        if (known != null) return known;
        return guests.computeIfAbsent(loop, _ -> new LoopPools(EventLoop.of(loop), settings, this));
    }

    private OutgoingRequest outgoing(BuiltRequest request, Outbound to, ResponseReader<?> reader) {
        boolean asksChange =
                reader instanceof UpgradeReader<?> mine && mine.handshake().isPresent();
        var outgoing = outgoing(request, to);
        return asksChange ? outgoing.upgrading(Handshake.WEBSOCKET) : outgoing;
    }

    /// A caller that names codings gets the encoded body; and a range of a compressed body is useless.
    private OutgoingRequest outgoing(BuiltRequest request, Outbound to) {
        var headers = request.headers();
        boolean isAsItIs = settings.decoding().isEmpty() || headers.has("Accept-Encoding") || headers.has("Range");
        var outgoing = isAsItIs
                ? OutgoingRequest.of(request, to)
                : OutgoingRequest.of(request.with(headers.with("Accept-Encoding", "gzip")), to)
                        .decoding(settings.decoding());
        return settings.forwarding()
                .apply(to.origin())
                .map(fields -> outgoing.through(to.origin(), fields))
                .orElse(outgoing);
    }

    /// The caller's own loop if it belongs to the client, otherwise the one with the fewest calls.
    LoopPools choose(Destination destination) {
        for (int place = 0; place < places(); place++) {
            var candidate = at(destination, place);
            if (candidate.loop().inLoop()) return candidate;
        }
        return least(destination);
    }

    void began(FilteredCall<?> call) {
        filtered.add(call);
        if (isClosed) call.fail(LoopPools.closed());
    }

    void ended(FilteredCall<?> call) {
        filtered.remove(call);
    }

    List<EventLoop> loops() {
        return all.stream().map(LoopPools::loop).toList();
    }

    private LoopPools least(Destination destination) {
        var least = at(destination, 0);
        for (int place = 1; place < places(); place++) {
            var candidate = at(destination, place);
            boolean isBetter = candidate.calls() < least.calls() || least.loop().isClosed();
            if (isBetter && !candidate.loop().isClosed()) least = candidate;
        }
        return least;
    }

    private int places() {
        return Math.min(all.size(), settings.connections());
    }

    private LoopPools at(Destination destination, int place) {
        return all.get(Math.floorMod(first(destination) + place, all.size()));
    }

    private int first(Destination destination) {
        return Math.floorMod(destination.hashCode(), all.size());
    }

    /// Drops idle connections if other loops wait for their permits: only pools that are not retired keep any.
    void spare() {
        var kept = newest.get();
        kept.all.forEach(LoopPools::beginToSpare);
        kept.guests.values().forEach(LoopPools::beginToSpare);
    }

    /// A loop's share of a limit.
    int share(int limit, Destination destination, LoopPools loop) {
        if (guests.containsKey(loop.loop())) return limit;
        int place = Math.floorMod(all.indexOf(loop) - first(destination), all.size());
        return limit / all.size() + (place < limit % all.size() ? 1 : 0);
    }

    /// New requests go to others: idle connections end now, and others when their responses are complete.
    ///
    /// @param others with the same destinations, and not used yet
    public void retireFor(ClientPools others) {
        others.newest = newest;
        newest.set(others);
        all.forEach(LoopPools::retire);
        guests.values().forEach(LoopPools::retire);
    }

    boolean isRetired() {
        return !newest.get().equals(this);
    }

    /// Some destinations are gone: idle connections to them end now, and others when their responses are
    /// complete.
    public void retireGone() {
        all.forEach(LoopPools::retireGone);
        guests.values().forEach(LoopPools::retireGone);
    }

    /// Calls in progress fail.
    @Override
    public void close() {
        isClosed = true;
        for (var call : List.copyOf(filtered)) call.fail(LoopPools.closed());
        all.forEach(ClientPools::close);
        guests.values().forEach(ClientPools::close);
        if (settings.ownsLoops()) settings.loops().ifPresent(EventLoops::close);
    }

    private static void close(LoopPools one) {
        try {
            one.loop().execute(one::close);
        } catch (RejectedExecutionException _) {
            // The loop has closed before, and all of its connections with it.
        }
    }
}
