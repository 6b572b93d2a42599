package io.millrace.http.client;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.ClientFilter;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.pool.PoolSettings;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Derived;
import io.millrace.net.CheckReturnValue;
import io.millrace.tls.TlsClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/// A client's settings. Immutable: a property is set by its name, which returns a copy, and read by the same
/// name; a value that makes no sense throws an [IllegalArgumentException]. A duration of zero means no limit.
///
/// ```java
/// HttpClient.of(ClientSettings.standard()
///         .redirects(5)
///         .timeout(Duration.ofSeconds(5))
///         .filter(RetryFilter.standard()))
/// ```
@CheckReturnValue
public final class ClientSettings {
    private Derived derived = Derived.first();
    private Optional<EventLoops> loops = Optional.empty();
    private Function<InetSocketAddress, Connect> connect = Connect::to;
    private Optional<TlsClient> tls = Optional.empty();
    private HttpVersion version = HttpVersion.NEGOTIATED;
    private Optional<ForwardProxy> proxy = Optional.empty();
    private HttpLimits limits = HttpLimits.standard().idleTimeout(PoolSettings.KEPT);
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration firstByteTimeout = Duration.ofSeconds(30);
    private Duration timeout = Duration.ofSeconds(60);
    private int connections = 64;
    private int waiting = 1024;
    private OptionalLong gzip = OptionalLong.empty();
    private Headers defaultHeaders = Headers.EMPTY;
    private List<ClientFilter> filters = List.of();
    private int redirects;
    private Optional<CookieJar> cookies = Optional.empty();

    private ClientSettings() {}

    private ClientSettings(ClientSettings other) {
        this.loops = other.loops;
        this.connect = other.connect;
        this.tls = other.tls;
        this.version = other.version;
        this.proxy = other.proxy;
        this.limits = other.limits;
        this.connectTimeout = other.connectTimeout;
        this.firstByteTimeout = other.firstByteTimeout;
        this.timeout = other.timeout;
        this.connections = other.connections;
        this.waiting = other.waiting;
        this.gzip = other.gzip;
        this.defaultHeaders = other.defaultHeaders;
        this.filters = other.filters;
        this.redirects = other.redirects;
        this.cookies = other.cookies;
    }

    private ClientSettings with(String setter, Consumer<ClientSettings> change) {
        var copy = new ClientSettings(this);
        change.accept(copy);
        copy.derived = derived.next(setter);
        return copy;
    }

    /// 64 connections to one origin and 1024 requests that wait for one, 10 s to connect, 30 s to the first byte
    /// of a response, 60 s to its end; no redirects, no cookies, no filters, no proxy, nothing unpacked.
    public static ClientSettings standard() {
        return new ClientSettings();
    }

    // Connections.

    /// Event loops to share; they do not end with the client. Without them the client has loops of its own.
    public ClientSettings loops(EventLoops group) {
        return with("loops", copy -> copy.loops = Optional.of(group));
    }

    public Optional<EventLoops> loops() {
        return loops;
    }

    /// How to connect to the host and port of a URI, or to those of a [#proxy]: to another address, to a Unix
    /// socket, or through a stage for instance. Called on a loop. The host is an address, or a name that has not
    /// been looked up.
    ///
    /// ```java
    /// settings.connect(host -> Connect.to(UnixDomainSocketAddress.of("/run/app.sock")))
    /// ```
    /// The client sets the loop and the timeout itself.
    public ClientSettings connect(Function<InetSocketAddress, Connect> how) {
        return with("connect", copy -> copy.connect = how);
    }

    public Function<InetSocketAddress, Connect> connect() {
        return connect;
    }

    /// TLS for hosts of `https`: the trusted certificates, the client's own. The name to check is the host's. TLS
    /// runs inside the stages of [#connect] and the tunnel of a [#proxy].
    ///
    /// ```java
    /// settings.tls(Tls.client().trusting(TlsIdentity.certificates(Path.of("ca.pem"))))
    /// ```
    public ClientSettings tls(TlsClient how) {
        return with("tls", copy -> copy.tls = Optional.of(how));
    }

    public Optional<TlsClient> tls() {
        return tls;
    }

    /// The version of HTTP to speak; by default [HttpVersion#NEGOTIATED]. Over TLS it is the application
    /// protocol to offer, unless [#tls] names protocols itself. To a [#proxy] that passes requests of `http` on
    /// the client speaks HTTP/1.1.
    public ClientSettings version(HttpVersion spoken) {
        return with("version", copy -> copy.version = spoken);
    }

    public HttpVersion version() {
        return version;
    }

    /// The proxy for requests, except to the hosts that it excludes.
    public ClientSettings proxy(ForwardProxy server) {
        return with("proxy", copy -> copy.proxy = Optional.of(server));
    }

    public Optional<ForwardProxy> proxy() {
        return proxy;
    }

    /// The most connections to one origin, 1 or more; by default 64. They are divided among the loops. With
    /// HTTP/2 one carries many requests at a time, as many as the server permits, up to 256.
    public ClientSettings connections(int most) {
        if (most < 1) throw new IllegalArgumentException(most + " connections: there must be 1 or more");
        return with("connections", copy -> copy.connections = most);
    }

    public int connections() {
        return connections;
    }

    /// The most requests that wait for a connection to one origin, 0 or more; by default 1024. They are divided
    /// among the loops.
    public ClientSettings waiting(int most) {
        if (most < 0) throw new IllegalArgumentException(most + " requests that wait: take 0 or more");
        return with("waiting", copy -> copy.waiting = most);
    }

    public int waiting() {
        return waiting;
    }

    // Limits.

    /// Limits for responses: heads, collected bodies, and how long an idle connection is kept if the peer does
    /// not say less; by default [HttpLimits#standard], but 50 s for an idle connection.
    public ClientSettings limits(HttpLimits most) {
        return with("limits", copy -> copy.limits = most);
    }

    public HttpLimits limits() {
        return limits;
    }

    /// Time for name lookup and handshakes together, including TLS and a [#proxy]'s tunnel; by default 10 s.
    public ClientSettings connectTimeout(Duration limit) {
        return with("connectTimeout", copy -> copy.connectTimeout = checked(limit, "a connect timeout"));
    }

    public Duration connectTimeout() {
        return connectTimeout;
    }

    /// Time from a request, with as much of its body as could be sent, to the first byte of its response; by
    /// default 30 s.
    public ClientSettings firstByteTimeout(Duration limit) {
        return with("firstByteTimeout", copy -> copy.firstByteTimeout = checked(limit, "a first byte timeout"));
    }

    public Duration firstByteTimeout() {
        return firstByteTimeout;
    }

    /// Time from a call to the end of its response, with all redirects, retries and the waits between them; by
    /// default 60 s. [io.millrace.http.Request#timeout] overrides it for one request.
    public ClientSettings timeout(Duration limit) {
        return with("timeout", copy -> copy.timeout = checked(limit, "a timeout"));
    }

    public Duration timeout() {
        return timeout;
    }

    private static Duration checked(Duration limit, String what) {
        return Duration.ofNanos(ConnectionSettings.nanos(limit, what));
    }

    /// Asks for bodies compressed with gzip, and decompresses them: responses then have neither
    /// `Content-Encoding` nor the compressed length. A body that decompresses to more than `mostBytes`, or to
    /// more than 200 bytes for each byte sent, fails with `Overloaded`; a collected body must also stay within
    /// [HttpLimits#bodyBytes]. A request with its own `Accept-Encoding`, or for a range, is sent unchanged, and
    /// the caller gets its response unchanged.
    ///
    /// @throws IllegalArgumentException for a negative number
    public ClientSettings gzip(long mostBytes) {
        if (mostBytes < 0) throw new IllegalArgumentException("bodies of " + mostBytes + " bytes: take 0 or more");
        return with("gzip", copy -> copy.gzip = OptionalLong.of(mostBytes));
    }

    /// Empty if bodies are not decompressed.
    public OptionalLong gzip() {
        return gzip;
    }

    // Around requests.

    /// A field for every request that has none of this name, `User-Agent` for instance. A redirect to another
    /// origin is followed without it, unless it is `User-Agent` or begins with `Accept`.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent, and for fields that the
    ///     client sets itself
    public ClientSettings defaultHeader(String name, String value) {
        OutgoingRequest.checkField(name);
        return with(
                "defaultHeader",
                copy -> copy.defaultHeaders = defaultHeaders.without(name).with(name, value));
    }

    public Headers defaultHeaders() {
        return defaultHeaders;
    }

    /// Adds a filter behind the others: the first one sees a request first and its response last.
    ///
    /// @throws IllegalArgumentException for a [CookieJar], which must come after redirects: see [#cookies]
    public ClientSettings filter(ClientFilter next) {
        if (next instanceof CookieJar)
            throw new IllegalArgumentException("a CookieJar as a filter does not see redirects: use cookies(…)");
        var all = new ArrayList<>(filters);
        all.add(next);
        return with("filter", copy -> copy.filters = List.copyOf(all));
    }

    public List<ClientFilter> filters() {
        return filters;
    }

    /// How many redirects in a row are followed, behind all filters; by default none. The last response is the
    /// answer, even if it is a redirect. A redirect is not followed if it leads nowhere, or from `https` to
    /// `http`, or needs a body again that a [io.millrace.http.BodyWriter] has written. To another origin the
    /// client sends no `Authorization`, no `Cookie` and no [#defaultHeader].
    ///
    /// @param most 0 or more
    public ClientSettings redirects(int most) {
        if (most < 0) throw new IllegalArgumentException(most + " redirects: take 0 or more");
        return with("redirects", copy -> copy.redirects = most);
    }

    public int redirects() {
        return redirects;
    }

    /// Keeps cookies, also across redirects; by default nothing does.
    public ClientSettings cookies(CookieJar jar) {
        return with("cookies", copy -> copy.cookies = Optional.of(jar));
    }

    public Optional<CookieJar> cookies() {
        return cookies;
    }

    /// A client is about to start.
    ///
    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    void use() {
        derived.use();
    }
}
