package io.millrace.examples;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Guards;
import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.Tcp;
import io.millrace.acme.Acme;
import io.millrace.codec.Group;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.http.HttpHandler;
import io.millrace.http.Https;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.filter.Networks;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.BlockingWebSocket;
import io.millrace.http.websocket.WebSocket;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.Guard;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.proxy.ProxyProtocol;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.backend.Balance;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;

/// Pieces of the guides that name fixed ports, files and hosts, so that they are compiled and not run. What they show
/// is run by the tests of `core`, `http` and `proxy`.
final class GuideFragments {
    private GuideFragments() {}

    static final class OfSockets {
        private OfSockets() {}

        static void blocking() throws IOException {
            try (var client = HttpClient.create();
                    var socket = BlockingWebSocket.connect(client, "ws://localhost:8080/echo")) {
                socket.send("hello");
                System.out.println(socket.receive());
            }
        }
    }

    static final class OfGroups {
        private OfGroups() {}

        static void room() {
            var room = new Group<String>(GroupSettings.standard().history(50));
            room.onPresence(who -> room.broadcast(who.user() + (who.isHere() ? " is here" : " has left")));
            Http.listen(
                    8080,
                    request -> WebSocket.accept(request, socket -> {
                        room.join(socket, Joining.as(userOf(request)).last(20));
                        return room::broadcast;
                    }));
        }

        private static String userOf(Request request) {
            return request.parameter("as").orElse("somebody");
        }
    }

    static final class OfTls {
        private OfTls() {}

        static void selfSigned(HttpHandler app) {
            var identity = TlsIdentity.selfSigned("localhost");
            Http.serve(Listen.on(8443).through(Tls.server(identity)), app);
        }

        static void server(HttpHandler app) {
            var tls = Tls.server(Path.of("fullchain.pem"), Path.of("key.pem")).speaking("h2", "http/1.1");
            Http.serve(Listen.on(443).through(tls), app);
        }

        static TlsServer names(TlsIdentity first, TlsIdentity second) {
            var tls = Tls.server().name("example.com", first).name("*.example.com", second);
            return tls;
        }

        static TlsServer mutual(TlsServer tls) {
            return tls.requiring(TlsIdentity.certificates(Path.of("clients-ca.pem")));
        }

        static void renewed(HttpHandler app) {
            var tls = Tls.reloading(() -> Tls.server(Path.of("fullchain.pem"), Path.of("key.pem")));
            Http.serve(Listen.on(443).through(tls), app);
            Signals.on("HUP", tls::reload);
        }

        static void fromAnAuthority(HttpHandler app, EventLoops loops) {
            var settings =
                    AcmeSettings.of(Path.of("/var/lib/app/acme"), "example.org").contact("ops@example.org");
            var keeper = Acme.keeper(loops.next());
            keeper.keep(List.of(settings));
            Http.serve(Listen.on(80), keeper.challenges().around(Https.only().around(app)));
        }

        static void redirect(HttpHandler routes, TlsServer tls) {
            HttpHandler app = Https.only().around(routes);
            Http.serve(80, app);
            Http.serve(Listen.on(443).through(tls), app);
        }

        static BlockingConnection client() throws IOException {
            var tls = Tls.client("db.internal").trusting(TlsIdentity.certificates(Path.of("ca.pem")));
            var conn = Tcp.connect(Connect.to("db.internal", 5432).through(tls));
            return conn;
        }

        static void httpClient(List<X509Certificate> issuers) throws IOException {
            var client =
                    HttpClient.of(ClientSettings.standard().tls(Tls.client().trusting(issuers)));
            client.send(Request.get("https://db.internal/"));
        }

        static Listen behindABalancer(Networks balancers, TlsServer tls) {
            return Listen.on(443).through(ProxyProtocol.from(balancers)).through(tls);
        }
    }

    static final class OfTheProxy {
        private OfTheProxy() {}

        static Upstream oneLine() {
            var backends = Upstream.of("http://10.0.0.1:8080", "http://10.0.0.2:8080")
                    .balance(Balance.LEAST_REQUESTS)
                    .health("/healthz", Duration.ofSeconds(1));
            Http.listen(8080, backends);
            return backends;
        }

        static void besideHandlers(Upstream backends) {
            Http.listen(
                    8080,
                    Routes.of()
                            .get("/hello", request -> Response.ok("hello"))
                            .prefix("/api", backends)
                            .otherwise(backends));
        }
    }

    /// What not to do.
    static final class OfOperations {
        private final Lock lock;

        OfOperations(Lock lock) {
            this.lock = lock;
        }

        void waitsForItself(Listen on) {
            Session session = conn -> {
                lock.lock();
                try {
                    conn.read(); // the loop has to end this wait …
                } finally {
                    lock.unlock();
                }
            };
            HandlerFactory callback = conn -> in -> {
                lock.lock(); // … and waits here
                try {
                    conn.output().move(in);
                } finally {
                    lock.unlock();
                }
            };
            Tcp.serve(on, session);
            Tcp.listen(on, callback);
        }
    }

    static final class OfLimits {
        static final Guard ROOMS = Guards.declare("chat.rooms", "rooms that are open at a time");

        private OfLimits() {}

        static void tooMany(Connection connection) {
            ROOMS.acted(connection.remote(), "more than 100 rooms");
        }
    }
}
