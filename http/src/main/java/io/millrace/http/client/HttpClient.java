package io.millrace.http.client;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.BlockingResponseReader;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Origin;
import io.millrace.http.pool.CallLimits;
import io.millrace.http.pool.ClientPools;
import io.millrace.http.pool.ClientSettings;
import io.millrace.http.pool.FollowedCall;
import io.millrace.http.pool.PulledBody;
import io.millrace.http.pool.Redirects;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.EventLoop;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/// A client for HTTP/1.1 (RFC 9110, RFC 9112), which keeps its connections and uses them again. Any thread.
///
/// ```java
/// try (var client = HttpClient.create()) {
///     Response response = client.send(Request.get("http://127.0.0.1:8080/hello?to=you"));
///     long bytes = client.send(Request.get("http://127.0.0.1:8080/file"), (head, body) -> body.transferTo(file));
///     client.sendAsync(Request.post("http://127.0.0.1:8080/log", line)).thenAccept(done -> …);
/// }
/// ```
/// With `https` it speaks TLS, and wants a certificate for the host that this JVM trusts, or [Setup#tls] does. It
/// answers with whatever the peer says, errors too, and redirects unless [Setup#redirects] follows them: an
/// exception means that there is no complete response. Those of the network are [io.millrace.net.NetException]s:
/// `Refused`, `Reset`, `TimedOut`, `Overloaded` at a limit of this side, and `ProtocolError` for what is no
/// response. `TlsError`: the peer is not who it should be, or broke off. A client is as strict as a server.
///
/// **Once, or again.** A request that is idempotent (`GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT`, `DELETE`) is sent
///   a second time, on a new connection, if the one that it was sent on had served before and ended without a
///   byte of a response: the peer closed it because it was idle, as peers do. All others, and all else, are the
///   caller's to decide. A body that a [io.millrace.http.BodyWriter] writes is sent once, whatever the method.
public final class HttpClient implements AutoCloseable {
    private final ClientPools pools;
    private final Supplier<TlsClient> tls;
    private final int redirects;

    private HttpClient(ClientSettings settings, Supplier<TlsClient> tls, int redirects) {
        this.pools = new ClientPools(settings);
        this.tls = tls;
        this.redirects = redirects;
    }

    /// A client with loops of its own, which end with it.
    public static HttpClient create() {
        return configure().start();
    }

    /// A client on loops of the caller's. A handler on one of them that asks has its answer on the same one.
    public static HttpClient on(EventLoops loops) {
        return configure().loops(loops).start();
    }

    /// Everything that can be chosen; ends with [Setup#start].
    public static Setup configure() {
        return new Setup();
    }

    /// Sends a request and waits for the response, with all of its body.
    ///
    /// @throws io.millrace.net.NetException when there is none; `Overloaded` for a body of more than
    ///     [HttpLimits#bodyBytes]
    /// @throws IllegalArgumentException for a request without an URI, or that may not be sent
    /// @throws IllegalStateException on the thread of an event loop, or when it is closed
    public Response send(Request request) throws IOException {
        EventLoop.checkMayWait("send", "use sendAsync(…)");
        var asked = request;
        for (int left = redirects; ; left--) {
            var call = pools.call(ready(asked));
            var _ = call.begin();
            var response = call.await();
            var next = left > 0 ? Redirects.next(asked, response) : Optional.<Request>empty();
            if (next.isEmpty()) return response;
            asked = next.get();
        }
    }

    /// Sends a request and lends the response to a function, which reads its body, of any length, as it arrives.
    /// When it returns, the connection goes back to its pool; if it has left much of the body unread, the
    /// connection is dropped.
    ///
    /// @return what the function returned
    /// @throws IOException what the function threw; all else as [#send(Request)]
    public <T> T send(Request request, BlockingResponseReader<T> reader) throws IOException {
        EventLoop.checkMayWait("send", "use sendAsync(…)");
        return new PulledBody(pools, ready(request)).read(reader);
    }

    /// Sends a request and does not wait: the response, with all of its body, comes on the connection's loop,
    /// which must not be blocked. What goes wrong on the way comes there, too. Who cancels it as a future
    /// stops the request.
    ///
    /// @throws IllegalArgumentException for a request without an URI, or that may not be sent
    /// @throws IllegalStateException when the client is closed
    public CompletionStage<Response> sendAsync(Request request) {
        var ready = ready(request);
        return redirects == 0 ? pools.call(ready).begin() : new FollowedCall(pools, redirects).begin(ready);
    }

    /// Sends a request and gives the response to a reader, as it arrives; as [#sendAsync(Request)].
    public <T> CompletionStage<T> sendAsync(Request request, ResponseReader<T> reader) {
        return pools.call(ready(request), reader).begin();
    }

    /// Whom this JVM trusts is read when it is first needed, and not on a loop.
    private Request ready(Request request) {
        if (request.isSecure()) Objects.requireNonNull(tls.get());
        return request;
    }

    private static TlsClient usualTls() {
        return UsualTls.CLIENT;
    }

    private static final class UsualTls {
        private static final TlsClient CLIENT = Tls.client().speaking("http/1.1");
    }

    /// Drops all connections; what waits for a response fails.
    @Override
    public void close() {
        pools.close();
    }

    /// How a client behaves. Each method changes this object and returns it; a duration of zero means no limit.
    public static final class Setup {
        private Optional<EventLoops> loops = Optional.empty();
        private Function<InetSocketAddress, Connect> connect = Connect::to;
        private HttpLimits limits = HttpLimits.standard().idleTimeout(ClientSettings.KEPT);
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration firstByteTimeout = Duration.ofSeconds(30);
        private Duration timeout = Duration.ofSeconds(60);
        private int redirects;
        private int connections = 64;
        private int waiting = 1024;
        private Optional<DecodedLimit> decoding = Optional.empty();
        private Optional<TlsClient> tls = Optional.empty();

        private Setup() {}

        /// Loops that others use, too; they do not end with the client.
        public Setup loops(EventLoops group) {
            loops = Optional.of(group);
            return this;
        }

        /// How to connect to the host and port of an URI: to another address, to a Unix socket, or through a
        /// stage for instance. Called on a loop. The host is an address, or a name that was not looked up.
        ///
        /// ```java
        /// HttpClient.configure().connect(host -> Connect.to(UnixDomainSocketAddress.of("/run/app.sock")))
        /// ```
        /// Its loop and its timeout are the client's business.
        public Setup connect(Function<InetSocketAddress, Connect> how) {
            connect = how;
            return this;
        }

        /// How TLS is spoken with hosts of `https`: whom it trusts, who it is. The name is that of the host. Behind
        /// the stages of [#connect].
        ///
        /// ```java
        /// HttpClient.configure().tls(Tls.client().trusting(TlsIdentity.certificates(Path.of("ca.pem"))))
        /// ```
        public Setup tls(TlsClient how) {
            tls = Optional.of(how);
            return this;
        }

        /// What is taken from peers: heads, bodies that are collected, and how long an idle connection is kept,
        /// if the peer does not say less; by default [HttpLimits#standard], but 50 s for an idle connection.
        public Setup limits(HttpLimits most) {
            limits = most;
            return this;
        }

        /// How long name lookup and handshakes, that of TLS, too, may take together; by default 10 s.
        public Setup connectTimeout(Duration limit) {
            connectTimeout = limit;
            return this;
        }

        /// From a request, with what could be sent of its body, to the first byte of its response; by default
        /// 30 s.
        public Setup firstByteTimeout(Duration limit) {
            firstByteTimeout = limit;
            return this;
        }

        /// From a call to the end of the response; by default 60 s. [Request#timeout] says something else for
        /// one.
        public Setup timeout(Duration limit) {
            timeout = limit;
            return this;
        }

        /// How many redirects are followed, one after the other, for whole responses; by default none. Each has
        /// the time of a request of its own. The last response is the answer, also when it is a redirect, and
        /// so is one that leads nowhere, or from `https` to `http`, or that wants a body again that was
        /// written by a [io.millrace.http.BodyWriter]; who reads a response as it arrives sees the
        /// redirect itself.
        ///
        /// @param most 0 or more
        public Setup redirects(int most) {
            if (most < 0) throw new IllegalArgumentException(most + " redirects: take 0 or more");
            redirects = most;
            return this;
        }

        /// The most to one origin, 1 or more; by default 64. They are divided among the loops.
        public Setup connections(int most) {
            if (most < 1) throw new IllegalArgumentException(most + " connections: there must be 1 or more");
            connections = most;
            return this;
        }

        /// The most requests to one origin that wait for a connection, 0 or more; by default 1024. They are
        /// divided among the loops.
        public Setup waiting(int most) {
            if (most < 0) throw new IllegalArgumentException(most + " requests that wait: take 0 or more");
            waiting = most;
            return this;
        }

        /// Asks for bodies that are packed with gzip, and unpacks them: responses then have neither
        /// `Content-Encoding` nor the packed length. A body that unpacks to more than `mostBytes`, or to more
        /// than 200 bytes for each that was sent, fails with `Overloaded`; one that is collected whole is held
        /// to [HttpLimits#bodyBytes], too. A request with an `Accept-Encoding` of its own, or for a range, is
        /// sent as it is, and so is its response given to the caller.
        ///
        /// @throws IllegalArgumentException for a negative number
        public Setup gzip(long mostBytes) {
            if (mostBytes < 0) throw new IllegalArgumentException("bodies of " + mostBytes + " bytes: take 0 or more");
            decoding = Optional.of(new DecodedLimit(
                    mostBytes,
                    DecodedLimit.USUAL_RATIO,
                    HttpGuards.CLIENT_DECODED,
                    HttpGuards.CLIENT_DECODED_RATIO,
                    "raise HttpClient.Setup.gzip, or ask with an Accept-Encoding of your own and unpack it yourself"));
            return this;
        }

        /// Makes the client.
        ///
        /// @throws IllegalArgumentException for a negative duration
        public HttpClient start() {
            long connectNanos = ConnectionSettings.nanos(connectTimeout, "a connect timeout");
            long firstByteNanos = ConnectionSettings.nanos(firstByteTimeout, "a first byte timeout");
            long timeoutNanos = ConnectionSettings.nanos(timeout, "a timeout");
            var group = loops.orElseGet(() ->
                    EventLoops.configure().name("millrace-http").daemon(true).start());
            Supplier<TlsClient> secured = tls.isPresent() ? tls::get : HttpClient::usualTls;
            // A redirect may lead to https, on a loop.
            if (redirects > 0) Objects.requireNonNull(secured.get());
            return new HttpClient(
                    new ClientSettings(
                            Optional.of(group),
                            loops.isEmpty(),
                            connecting(connect, secured),
                            limits,
                            Duration.ofNanos(connectNanos),
                            new ClientTimeouts(firstByteNanos, 0),
                            new CallLimits(0, 0, timeoutNanos),
                            connections,
                            waiting,
                            decoding),
                    secured,
                    redirects);
        }

        private static Function<Destination, Connect> connecting(
                Function<InetSocketAddress, Connect> connect, Supplier<TlsClient> tls) {
            return destination -> {
                var origin = (Origin) destination;
                var plain = connect.apply(origin.address()).used();
                return origin.isSecure() ? plain.through(tls.get().of(origin.host())) : plain;
            };
        }
    }
}
