package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.http.Cookies;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.pool.PoolSettings;
import io.millrace.net.CheckReturnValue;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.StickyCookie;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.tls.TlsClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// How an upstream finds, chooses and uses its backends: [Upstream] and [TcpUpstream] are made of it, and
/// the proxy's file sets it. Values with equal settings are equal.
///
/// ```java
/// var settings = UpstreamSettings.of(EndpointSource.dns("app.internal", 8080))
///         .health(Health.http("/healthz"))
///         .timeouts(TimeoutSettings.STANDARD.firstByte(Duration.ofSeconds(10)));
/// Http.listen(8080, Upstream.of(settings));
/// ```
/// Immutable: a property is set by its name, which returns a copy, and read by the same name. Any thread.
@CheckReturnValue
public final class UpstreamSettings {
    private String name = "upstream";
    private EndpointSource source;
    private Balance balance = Balance.LEAST_REQUESTS;
    private HashKey hash = HashKey.SOURCE;
    private Optional<StickyCookie> sticky = Optional.empty();
    private Health health = Health.passive();
    private UpstreamLimits limits = UpstreamLimits.standard();
    private HttpLimits responses = HttpLimits.standard();
    private TimeoutSettings timeouts = TimeoutSettings.STANDARD;
    private Retries retries = Retries.STANDARD;
    private HostPolicy host = HostPolicy.KEEP;
    private Forwarding forwarding = Forwarding.standard();
    private long collectBytes;
    private Optional<Version> sendProxyProtocol = Optional.empty();
    private Optional<TlsClient> tls = Optional.empty();
    private HttpVersion version = HttpVersion.NEGOTIATED;
    private Optional<EventLoops> upstreamLoops = Optional.empty();
    private Optional<EventLoops> checkLoops = Optional.empty();

    private UpstreamSettings(EndpointSource source) {
        this.source = source;
    }

    /// The default settings, for the backends of a source.
    public static UpstreamSettings of(EndpointSource source) {
        return new UpstreamSettings(source);
    }

    /// The default settings, for these backends.
    public static UpstreamSettings of(List<Endpoint> endpoints) {
        return of(EndpointSource.of(endpoints));
    }

    private UpstreamSettings with(Consumer<UpstreamSettings> change) {
        var copy = new UpstreamSettings(source);
        copy.name = name;
        copy.balance = balance;
        copy.hash = hash;
        copy.sticky = sticky;
        copy.version = version;
        copy.health = health;
        copy.limits = limits;
        copy.responses = responses;
        copy.timeouts = timeouts;
        copy.retries = retries;
        copy.host = host;
        copy.forwarding = forwarding;
        copy.collectBytes = collectBytes;
        copy.sendProxyProtocol = sendProxyProtocol;
        copy.tls = tls;
        copy.upstreamLoops = upstreamLoops;
        copy.checkLoops = checkLoops;
        change.accept(copy);
        return copy;
    }

    /// These settings, with the name and the loops of checks of the former ones: an upstream keeps both.
    UpstreamSettings after(UpstreamSettings before) {
        return with(copy -> {
            copy.name = before.name;
            copy.checkLoops = before.checkLoops;
        });
    }

    /// Its name in logs and metrics; `upstream` by default.
    public UpstreamSettings name(String called) {
        return with(copy -> copy.name = called);
    }

    public String name() {
        return name;
    }

    /// The source of the list of backends.
    public UpstreamSettings source(EndpointSource from) {
        return with(copy -> copy.source = from);
    }

    public EndpointSource source() {
        return source;
    }

    /// Which backend gets a request; by default the one with the fewest.
    public UpstreamSettings balance(Balance rule) {
        return with(copy -> copy.balance = rule);
    }

    public Balance balance() {
        return balance;
    }

    /// The key for [Balance#HASH]; by default the client's address.
    public UpstreamSettings hash(HashKey by) {
        return with(copy -> copy.hash = by);
    }

    public HashKey hash() {
        return hash;
    }

    /// A cookie by which a client's requests go to the same backend; none by default. It goes before [#balance],
    /// and has no effect on layer 4.
    public UpstreamSettings sticky(StickyCookie cookie) {
        return with(copy -> copy.sticky = Optional.of(cookie));
    }

    public Optional<StickyCookie> sticky() {
        return sticky;
    }

    /// How to find unhealthy backends; by default by the results of requests.
    public UpstreamSettings health(Health how) {
        return with(copy -> copy.health = how);
    }

    public Health health() {
        return health;
    }

    /// The limits of connections and requests at a time.
    public UpstreamSettings limits(UpstreamLimits most) {
        return with(copy -> copy.limits = most);
    }

    public UpstreamLimits limits() {
        return limits;
    }

    /// The limits of response heads. The rest of these limits has no effect: [TimeoutSettings#keepalive]
    /// sets how long idle connections are kept.
    public UpstreamSettings responses(HttpLimits most) {
        return with(copy -> copy.responses = most);
    }

    public HttpLimits responses() {
        return responses;
    }

    /// How long a backend may take.
    public UpstreamSettings timeouts(TimeoutSettings times) {
        return with(copy -> copy.timeouts = times);
    }

    public TimeoutSettings timeouts() {
        return timeouts;
    }

    /// When a request is sent to another backend. On layer 4 only the number of attempts counts.
    public UpstreamSettings retries(Retries when) {
        return with(copy -> copy.retries = when);
    }

    public Retries retries() {
        return retries;
    }

    /// The `Host` field of forwarded requests; by default the client's.
    public UpstreamSettings host(HostPolicy policy) {
        return with(copy -> copy.host = policy);
    }

    public HostPolicy host() {
        return host;
    }

    /// What is changed in messages.
    public UpstreamSettings forwarding(Forwarding rules) {
        return with(copy -> copy.forwarding = rules);
    }

    public Forwarding forwarding() {
        return forwarding;
    }

    /// Collects request bodies of up to this many bytes before they are forwarded; longer ones are
    /// streamed. 0 by default.
    ///
    /// @throws IllegalArgumentException for a negative number
    public UpstreamSettings collectBytes(long mostBytes) {
        if (mostBytes < 0) throw new IllegalArgumentException("bodies of " + mostBytes + " bytes: take 0 or more");
        return with(copy -> copy.collectBytes = mostBytes);
    }

    public long collectBytes() {
        return collectBytes;
    }

    /// The PROXY protocol header that begins each connection, which backends must expect
    /// ([ProxyProtocol]).
    public UpstreamSettings sendProxyProtocol(Version version) {
        return with(copy -> copy.sendProxyProtocol = Optional.of(version));
    }

    public Optional<Version> sendProxyProtocol() {
        return sendProxyProtocol;
    }

    /// TLS with backends. Each must present a certificate for the name in `how`, or for its own host if
    /// `how` has no name.
    public UpstreamSettings tls(TlsClient how) {
        return with(copy -> copy.tls = Optional.of(how));
    }

    public Optional<TlsClient> tls() {
        return tls;
    }

    /// The loops of connections to backends; by default each is on the loop of its client's connection.
    public UpstreamSettings upstreamLoops(EventLoops group) {
        return with(copy -> copy.upstreamLoops = Optional.of(group));
    }

    public Optional<EventLoops> upstreamLoops() {
        return upstreamLoops;
    }

    /// The loops of health checks; by default [#upstreamLoops], or a loop of its own.
    public UpstreamSettings checkLoops(EventLoops group) {
        return with(copy -> copy.checkLoops = Optional.of(group));
    }

    public Optional<EventLoops> checkLoops() {
        return checkLoops;
    }

    /// The version of HTTP that backends are spoken to in; by default [HttpVersion#NEGOTIATED], which is HTTP/2 where a
    /// backend offers that over TLS, and HTTP/1.1 elsewhere. No effect on layer 4.
    public UpstreamSettings version(HttpVersion spoken) {
        return with(copy -> copy.version = spoken);
    }

    public HttpVersion version() {
        return version;
    }

    /// Nothing is negotiated in clear text.
    HttpVersion spoken() {
        return version == HttpVersion.NEGOTIATED && tls.isEmpty() ? HttpVersion.HTTP_1_1 : version;
    }

    private List<Object> values() {
        return List.of(
                name,
                source,
                balance,
                hash,
                sticky,
                health,
                limits,
                responses,
                timeouts,
                retries,
                host,
                forwarding,
                collectBytes,
                sendProxyProtocol,
                tls,
                version,
                upstreamLoops,
                checkLoops);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof UpstreamSettings other && values().equals(other.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    @Override
    public String toString() {
        return "UpstreamSettings" + values();
    }

    /// The part of a request that decides which backend gets it.
    ///
    /// @param name the field's or the cookie's; empty for the source
    public record HashKey(By by, String name) {
        /// The client's address.
        public static final HashKey SOURCE = new HashKey(By.SOURCE, "");

        /// A field's value; without the field, the client's address.
        public static HashKey header(String name) {
            return new HashKey(By.HEADER, name);
        }

        /// A cookie's value; without the cookie, the client's address.
        public static HashKey cookie(String name) {
            return new HashKey(By.COOKIE, name);
        }

        /// The key of a request.
        public long of(Request request) {
            var text = switch (by) {
                case SOURCE -> Optional.<String>empty();
                case HEADER -> Keys.field(request, name);
                case COOKIE -> Cookies.of(request).value(name);
            };
            return text.isPresent() ? Keys.of(text.get()) : Keys.ofClient(request);
        }

        /// Where the key comes from.
        public enum By {
            SOURCE,
            HEADER,
            COOKIE
        }
    }

    /// The `Host` field of a forwarded request.
    ///
    /// @param name its value with [Kind#REWRITE]; empty otherwise
    public record HostPolicy(Kind kind, String name) {
        /// The client's.
        public static final HostPolicy KEEP = new HostPolicy(Kind.KEEP, "");

        /// The backend's address, as it is configured.
        public static final HostPolicy BACKEND = new HostPolicy(Kind.BACKEND, "");

        /// @throws IllegalArgumentException for a name that a field cannot have
        public HostPolicy {
            var _ = Headers.EMPTY.with("Host", name);
        }

        /// Always this one.
        ///
        /// @throws IllegalArgumentException for a name that a field cannot have
        public static HostPolicy rewrite(String name) {
            return new HostPolicy(Kind.REWRITE, name);
        }

        /// The field for a request.
        ///
        /// @param asked the client's field; a client of HTTP/1.0 may send none
        /// @param backend its address
        String of(String asked, String backend) {
            return switch (kind) {
                case KEEP -> asked.isEmpty() ? backend : asked;
                case BACKEND -> backend;
                case REWRITE -> name;
            };
        }

        /// Where the field comes from.
        public enum Kind {
            KEEP,
            BACKEND,
            REWRITE
        }
    }

    /// How long a backend may take.
    ///
    /// @param connect for the name lookup and the handshake together; 5 s by default
    /// @param pending how long a request may wait for a connection while all are busy; 10 s by default
    /// @param firstByte from the request to the first byte of its response; 60 s by default
    /// @param idle how long a backend may stall; on layer 4, how long nothing may move in either
    /// direction; 60 s by default
    /// @param webSocketIdle how long nothing may come on a WebSocket from either side; 10 minutes by default,
    /// zero for ever
    /// @param keepalive how long an idle connection is kept for the next request; 50 s by default
    /// @param request from the request to the end of its response, with all attempts; by default zero, for
    /// no limit
    @CheckReturnValue
    public record TimeoutSettings(
            Duration connect,
            Duration pending,
            Duration firstByte,
            Duration idle,
            Duration webSocketIdle,
            Duration keepalive,
            Duration request) {
        public static final TimeoutSettings STANDARD = new TimeoutSettings(
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                PoolSettings.KEPT,
                Duration.ZERO);

        /// A copy with another [#connect()].
        public TimeoutSettings connect(Duration limit) {
            return new TimeoutSettings(limit, pending, firstByte, idle, webSocketIdle, keepalive, request);
        }

        /// A copy with another [#pending()].
        public TimeoutSettings pending(Duration limit) {
            return new TimeoutSettings(connect, limit, firstByte, idle, webSocketIdle, keepalive, request);
        }

        /// A copy with another [#firstByte()].
        public TimeoutSettings firstByte(Duration limit) {
            return new TimeoutSettings(connect, pending, limit, idle, webSocketIdle, keepalive, request);
        }

        /// A copy with another [#idle()].
        public TimeoutSettings idle(Duration limit) {
            return new TimeoutSettings(connect, pending, firstByte, limit, webSocketIdle, keepalive, request);
        }

        /// A copy with another [#webSocketIdle()].
        public TimeoutSettings webSocketIdle(Duration limit) {
            return new TimeoutSettings(connect, pending, firstByte, idle, limit, keepalive, request);
        }

        /// A copy with another [#keepalive()].
        public TimeoutSettings keepalive(Duration limit) {
            return new TimeoutSettings(connect, pending, firstByte, idle, webSocketIdle, limit, request);
        }

        /// A copy with another [#request()].
        public TimeoutSettings request(Duration limit) {
            return new TimeoutSettings(connect, pending, firstByte, idle, webSocketIdle, keepalive, limit);
        }
    }
}
