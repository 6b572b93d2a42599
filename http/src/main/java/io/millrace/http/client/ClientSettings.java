package io.millrace.http.client;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.ClientFilter;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
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

/// How a client behaves. Immutable: a property is set by its name, which returns a copy, and read by the same
/// name; a value that makes no sense is refused with an [IllegalArgumentException]. A duration of zero means no
/// limit.
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

    /// Loops that others use, too; they do not end with the client. Without them it has some of its own.
    public ClientSettings loops(EventLoops group) {
        return with("loops", copy -> copy.loops = Optional.of(group));
    }

    public Optional<EventLoops> loops() {
        return loops;
    }

    /// How to connect to the host and port of an URI, or to those of a [#proxy]: to another address, to a Unix
    /// socket, or through a stage for instance. Called on a loop. The host is an address, or a name that was not
    /// looked up.
    ///
    /// ```java
    /// settings.connect(host -> Connect.to(UnixDomainSocketAddress.of("/run/app.sock")))
    /// ```
    /// Its loop and its timeout are the client's business.
    public ClientSettings connect(Function<InetSocketAddress, Connect> how) {
        return with("connect", copy -> copy.connect = how);
    }

    public Function<InetSocketAddress, Connect> connect() {
        return connect;
    }

    /// How TLS is spoken with hosts of `https`: whom it trusts, who it is. The name is that of the host. Behind
    /// the stages of [#connect] and the tunnel of a [#proxy].
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

    /// The proxy that requests go through, but for the hosts that it leaves out.
    public ClientSettings proxy(ForwardProxy server) {
        return with("proxy", copy -> copy.proxy = Optional.of(server));
    }

    public Optional<ForwardProxy> proxy() {
        return proxy;
    }

    /// The most connections to one origin, 1 or more; by default 64. They are divided among the loops.
    public ClientSettings connections(int most) {
        if (most < 1) throw new IllegalArgumentException(most + " connections: there must be 1 or more");
        return with("connections", copy -> copy.connections = most);
    }

    public int connections() {
        return connections;
    }

    /// The most requests to one origin that wait for a connection, 0 or more; by default 1024. They are divided
    /// among the loops.
    public ClientSettings waiting(int most) {
        if (most < 0) throw new IllegalArgumentException(most + " requests that wait: take 0 or more");
        return with("waiting", copy -> copy.waiting = most);
    }

    public int waiting() {
        return waiting;
    }

    // What is taken, and how long it may take.

    /// What is taken from peers: heads, bodies that are collected, and how long an idle connection is kept, if
    /// the peer does not say less; by default [HttpLimits#standard], but 50 s for an idle connection.
    public ClientSettings limits(HttpLimits most) {
        return with("limits", copy -> copy.limits = most);
    }

    public HttpLimits limits() {
        return limits;
    }

    /// How long name lookup and handshakes, that of TLS and that of a [#proxy], too, may take together; by default
    /// 10 s.
    public ClientSettings connectTimeout(Duration limit) {
        return with("connectTimeout", copy -> copy.connectTimeout = checked(limit, "a connect timeout"));
    }

    public Duration connectTimeout() {
        return connectTimeout;
    }

    /// From a request, with what could be sent of its body, to the first byte of its response; by default 30 s.
    public ClientSettings firstByteTimeout(Duration limit) {
        return with("firstByteTimeout", copy -> copy.firstByteTimeout = checked(limit, "a first byte timeout"));
    }

    public Duration firstByteTimeout() {
        return firstByteTimeout;
    }

    /// From a call to the end of its response, with all redirects, retries and the waits between them; by default
    /// 60 s. [Request#timeout] says something else for one.
    public ClientSettings timeout(Duration limit) {
        return with("timeout", copy -> copy.timeout = checked(limit, "a timeout"));
    }

    public Duration timeout() {
        return timeout;
    }

    private static Duration checked(Duration limit, String what) {
        return Duration.ofNanos(ConnectionSettings.nanos(limit, what));
    }

    /// Asks for bodies that are packed with gzip, and unpacks them: responses then have neither
    /// `Content-Encoding` nor the packed length. A body that unpacks to more than `mostBytes`, or to more than
    /// 200 bytes for each that was sent, fails with `Overloaded`; one that is collected whole is held to
    /// [HttpLimits#bodyBytes], too. A request with an `Accept-Encoding` of its own, or for a range, is sent as it
    /// is, and so is its response given to the caller.
    ///
    /// @throws IllegalArgumentException for a negative number
    public ClientSettings gzip(long mostBytes) {
        if (mostBytes < 0) throw new IllegalArgumentException("bodies of " + mostBytes + " bytes: take 0 or more");
        return with("gzip", copy -> copy.gzip = OptionalLong.of(mostBytes));
    }

    /// Empty when bodies are not unpacked.
    public OptionalLong gzip() {
        return gzip;
    }

    // What happens around requests.

    /// A field of every request that has none of this name, `User-Agent` for instance. A redirect to another
    /// origin is followed without it, unless it is `User-Agent` or one that begins with `Accept`.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent, and for fields that are the
    ///     client's business
    public ClientSettings defaultHeader(String name, String value) {
        OutgoingRequest.checkField(name);
        return with(
                "defaultHeader",
                copy -> copy.defaultHeaders = defaultHeaders.without(name).with(name, value));
    }

    public Headers defaultHeaders() {
        return defaultHeaders;
    }

    /// One more filter, behind those that there are: the first one sees a request first and its response last.
    ///
    /// @throws IllegalArgumentException for a [CookieJar], which belongs behind redirects: see [#cookies]
    public ClientSettings filter(ClientFilter next) {
        if (next instanceof CookieJar)
            throw new IllegalArgumentException("a CookieJar as a filter does not see redirects: say cookies(…)");
        var all = new ArrayList<>(filters);
        all.add(next);
        return with("filter", copy -> copy.filters = List.copyOf(all));
    }

    public List<ClientFilter> filters() {
        return filters;
    }

    /// How many redirects are followed, one after the other, behind all filters; by default none. The last
    /// response is the answer, also when it is a redirect, and so is one that leads nowhere, or from `https` to
    /// `http`, or that wants a body again that was written by a [io.millrace.http.BodyWriter]. To another origin
    /// the client takes no `Authorization`, no `Cookie` and no [#defaultHeader] along.
    ///
    /// @param most 0 or more
    public ClientSettings redirects(int most) {
        if (most < 0) throw new IllegalArgumentException(most + " redirects: take 0 or more");
        return with("redirects", copy -> copy.redirects = most);
    }

    public int redirects() {
        return redirects;
    }

    /// What keeps cookies, behind redirects; by default nothing does.
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
