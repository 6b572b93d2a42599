package io.millrace.http.client;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.BlockingResponseReader;
import io.millrace.http.ClientFilter;
import io.millrace.http.Headers;
import io.millrace.http.HttpSender;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Origin;
import io.millrace.http.pool.CallLimits;
import io.millrace.http.pool.ClientCall;
import io.millrace.http.pool.ClientPools;
import io.millrace.http.pool.PoolSettings;
import io.millrace.http.pool.PulledBody;
import io.millrace.http.pool.Redirects;
import io.millrace.loop.EventLoop;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// A client for HTTP/1.1 and HTTP/2 (RFC 9110, RFC 9112, RFC 9113), which keeps and reuses its connections. Any thread.
///
/// ```java
/// try (var client = HttpClient.create()) {
///     Response response = client.send(Request.get("http://127.0.0.1:8080/hello?to=you"));
///     long bytes = client.send(Request.get("http://127.0.0.1:8080/file"), (head, body) -> body.transferTo(file));
///     client.sendAsync(Request.post("http://127.0.0.1:8080/log", line)).thenAccept(done -> …);
/// }
/// ```
/// With `https` it uses TLS, and demands a certificate for the host that this JVM, or [ClientSettings#tls],
/// trusts. It returns every response of the peer, errors too, and redirects unless [ClientSettings#redirects]
/// follows them: an exception means that there is no complete response. Network failures are
/// [io.millrace.net.NetException]s: `Refused`, `Reset`, `TimedOut`, `Overloaded` at one of the client's own
/// limits, and `ProtocolError` for a malformed response. `TlsError` means that the peer's certificate is wrong,
/// or that TLS broke off. A client is as strict as a server.
///
/// **Repeated requests.** An idempotent request (`GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT`, `DELETE`) is sent a
/// second time, on a new connection, if its connection had served before and ended without a byte of a response:
/// the peer closed it because it was idle. All other repetition is up to the caller, or to a [RetryFilter]. A
/// body that a [io.millrace.http.BodyWriter] writes is sent once, whatever the method.
///
/// **Cancelled requests.** A request ends at once, with its connection, when its future is cancelled, when the
/// thread that waits in [#send(Request)] is interrupted, or when its time is over ([Request#timeout],
/// [ClientSettings#timeout]); so do its redirects and retries.
///
/// Code that sends requests should depend on [HttpSender], so that tests can use a lambda instead.
public final class HttpClient implements HttpSender, AutoCloseable {
    /// Of clients without one of their own.
    private static final Map<HttpVersion, TlsClient> USUAL_TLS = new ConcurrentHashMap<>();

    private final ClientPools pools;
    private final Supplier<TlsClient> tls;
    private final Headers defaults;
    private final List<ClientFilter> filters;

    private HttpClient(ClientPools pools, Supplier<TlsClient> tls, Headers defaults, List<ClientFilter> filters) {
        this.pools = pools;
        this.tls = tls;
        this.defaults = defaults;
        this.filters = filters;
    }

    /// A client with standard settings and its own loops, which end with it.
    public static HttpClient create() {
        return of(ClientSettings.standard());
    }

    /// A client with standard settings on the caller's loops. A handler on one of them that sends a request gets
    /// the response on the same loop.
    public static HttpClient on(EventLoops loops) {
        return of(ClientSettings.standard().loops(loops));
    }

    /// A client with these settings.
    ///
    /// @throws IllegalStateException when the last copy of them, with something set, was dropped
    public static HttpClient of(ClientSettings settings) {
        settings.use();
        Supplier<TlsClient> tls = tls(settings);
        var filters = filters(settings);
        // A redirect or a filter may lead to https, on a loop, which must not read certificates.
        if (!filters.isEmpty()) Objects.requireNonNull(tls.get());
        return new HttpClient(new ClientPools(pooled(settings, tls)), tls, settings.defaultHeaders(), filters);
    }

    private static Supplier<TlsClient> tls(ClientSettings settings) {
        var version = settings.version();
        if (settings.tls().isPresent()) {
            var given = version.over(settings.tls().get());
            return () -> given;
        }
        return () -> USUAL_TLS.computeIfAbsent(version, _ -> version.over(Tls.client()));
    }

    private static List<ClientFilter> filters(ClientSettings settings) {
        var all = new ArrayList<>(settings.filters());
        if (settings.redirects() > 0) all.add(Redirects.upTo(settings.redirects(), settings.defaultHeaders()));
        settings.cookies().ifPresent(all::add);
        return List.copyOf(all);
    }

    private static PoolSettings pooled(ClientSettings settings, Supplier<TlsClient> tls) {
        var group = settings.loops()
                .orElseGet(() -> EventLoops.configure()
                        .name("millrace-http")
                        .daemon(true)
                        .start());
        return new PoolSettings(
                Optional.of(group),
                settings.loops().isEmpty(),
                connecting(settings, tls),
                settings.limits(),
                settings.connectTimeout(),
                new ClientTimeouts(settings.firstByteTimeout().toNanos(), 0),
                new CallLimits(0, 0, settings.timeout().toNanos()),
                settings.connections(),
                settings.waiting(),
                destination -> version(settings, (Origin) destination),
                origin -> settings.proxy().flatMap(proxy -> proxy.forwarding(origin)),
                settings.gzip().stream().mapToObj(HttpClient::decoding).findFirst());
    }

    /// In clear text nothing is negotiated, and a proxy that passes requests on is not known to speak HTTP/2.
    private static HttpVersion version(ClientSettings settings, Origin origin) {
        if (origin.isSecure()) return settings.version();
        boolean isPassedOn =
                settings.proxy().filter(server -> server.takes(origin)).isPresent();
        boolean isKnown = settings.version() == HttpVersion.HTTP_2 && !isPassedOn;
        return isKnown ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
    }

    private static DecodedLimit decoding(long mostBytes) {
        return new DecodedLimit(
                mostBytes,
                DecodedLimit.USUAL_RATIO,
                HttpGuards.CLIENT_DECODED,
                HttpGuards.CLIENT_DECODED_RATIO,
                "raise ClientSettings.gzip, or set Accept-Encoding and decompress the body yourself");
    }

    private static BiFunction<Destination, HttpVersion, Connect> connecting(
            ClientSettings settings, Supplier<TlsClient> tls) {
        return (destination, version) -> {
            var origin = (Origin) destination;
            var proxy = settings.proxy().filter(server -> server.takes(origin));
            var to = proxy.map(ForwardProxy::address).orElseGet(origin::address);
            var plain = settings.connect().apply(to).used();
            if (!origin.isSecure()) return plain;
            var tunnel =
                    proxy.map(server -> plain.through(server.tunnel(origin))).orElse(plain);
            var offering = version == settings.version() ? tls.get() : PoolSettings.offering(version, tls.get());
            return tunnel.through(offering.of(origin.host()));
        };
    }

    /// @throws io.millrace.net.NetException when there is no complete response; `Overloaded` for a body of more
    ///     than [io.millrace.http.HttpLimits#bodyBytes]
    /// @throws IllegalArgumentException for a request without a URI, or that must not be sent
    /// @throws IllegalStateException on the thread of an event loop, or when the client is closed
    @Override
    public Response send(Request request) throws IOException {
        EventLoop.checkMayWait("send", "use sendAsync(…)");
        var call = call(request, pools.whole(request));
        var _ = call.begin();
        return call.await();
    }

    /// When the function returns, the connection goes back to its pool; if much of the body is unread, or does
    /// not arrive within a second, the connection is dropped (in HTTP/2 the stream is reset).
    ///
    /// @throws IOException what the function threw; otherwise as [#send(Request)]
    @Override
    public <T> T send(Request request, BlockingResponseReader<T> reader) throws IOException {
        EventLoop.checkMayWait("send", "use sendAsync(…)");
        return new PulledBody(pulling -> call(request, pulling)).read(reader);
    }

    /// The future completes with the response and all of its body on the connection's loop, which must not be
    /// blocked. It fails there, too.
    ///
    /// @throws IllegalArgumentException for a request without a URI, or that must not be sent
    /// @throws IllegalStateException when the client is closed
    @Override
    public CompletableFuture<Response> sendAsync(Request request) {
        return call(request, pools.whole(request)).begin();
    }

    /// As [#sendAsync(Request)].
    @Override
    public <T> CompletableFuture<T> sendAsync(Request request, ResponseReader<T> reader) {
        return call(request, reader).begin();
    }

    private <T> ClientCall<T> call(Request request, ResponseReader<T> reader) {
        // The JVM's trusted certificates are read at first use, and not on a loop.
        if (request.isSecure()) Objects.requireNonNull(tls.get());
        return pools.call(withDefaults(request), filters, reader);
    }

    private Request withDefaults(Request request) {
        if (defaults.size() == 0) return request;
        var built = BuiltRequest.copyOf(request);
        var all = Headers.builder();
        var own = built.headers();
        own.forEach(all::add);
        defaults.forEach((name, value) -> {
            if (!own.has(name)) all.add(name, value);
        });
        return built.with(all.build());
    }

    /// Drops all connections; requests in progress fail.
    @Override
    public void close() {
        pools.close();
    }
}
