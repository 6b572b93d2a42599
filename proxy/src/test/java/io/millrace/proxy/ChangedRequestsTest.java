package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.http.Attribute;
import io.millrace.http.HttpFilter;
import io.millrace.http.Routes;
import io.millrace.http.filter.Cors;
import io.millrace.http.filter.HttpSession;
import io.millrace.http.filter.RequestIds;
import io.millrace.http.filter.Sessions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A filter that changes fields takes nothing from who is behind it: everything that a proxy can do with what a client
/// sent it can do with a view of that.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChangedRequestsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final String CHUNKED = """
            POST /a HTTP/1.1
            Host: a
            X-User: admin
            Transfer-Encoding: chunked

            5
            hello
            0
            Sum: 5

            """.replace("\n", "\r\n");
    /// Of a body that is too long to be collected first.
    private static final String REST = " world".repeat(20_000);

    private static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    private static final String ACCEPT = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

    /// What stands in front, and what the backend sees of the client's `X-User: admin`.
    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    enum Change {
        NOTHING(next -> next, List.of("X-User: admin")),
        LAMBDA(next -> request -> next.handle(request), List.of("X-User: admin")),
        ROUTES(next -> Routes.of().any("/a", next).otherwise(next), List.of("X-User: admin")),
        MOUNT(next -> Routes.of().mount("/a", next).otherwise(next), List.of("X-User: admin")),
        IDS(next -> RequestIds.standard().around(next), List.of("X-User: admin")),
        CORS(next -> Cors.allow("https://a").around(next), List.of("X-User: admin")),
        SESSIONS(
                next -> Sessions.inCookies(Bytes.utf8("k".repeat(32))).around(request -> {
                    HttpSession.of(request).set("user", "ann");
                    return next.handle(request);
                }),
                List.of("X-User: admin")),
        TELLING(next -> request -> next.handle(request.with(Attribute.named("user"), "ann")), List.of("X-User: admin")),
        SET(next -> request -> next.handle(request.setHeader("x-user", "ann")), List.of("x-user: ann")),
        ADD(
                next -> request ->
                        next.handle(request.addHeader("X-Tenant", "t").addHeader("X-User", "ann")),
                List.of("X-User: admin", "X-User: ann")),
        REMOVE(next -> request -> next.handle(request.removeHeader("X_User")), List.of()),
        ALL(
                next -> request -> next.handle(request.setHeader("X-User", "ann")
                        .removeHeader("X-User")
                        .addHeader("X-User", "bob")
                        .setHeader("Host", "b")),
                List.of("X-User: bob"));

        private final HttpFilter filter;
        private final List<String> seen;

        Change(HttpFilter filter, List<String> seen) {
            this.filter = filter;
            this.seen = seen;
        }

        Proxying inFrontOf(RawBackend backend, Proxying.Kind kind) {
            return kind.serve(Upstream.of(backend.uri()), filter::around);
        }

        Proxying inFrontOfTunnels(RawBackend backend, Proxying.Kind kind) {
            var to = List.of("127.0.0.1:" + backend.port());
            return kind.serve(Upstream.of(backend.uri()), upstream -> filter.around(ConnectTunnels.to(to, upstream)));
        }

        void assertSeen(List<String> head) {
            var lines = head.stream()
                    .filter(line -> line.regionMatches(true, 0, "X-User:", 0, 7))
                    .toList();
            assertEquals(seen, lines);
            assertEquals(
                    1,
                    head.stream()
                            .filter(line -> line.regionMatches(true, 0, "Host:", 0, 5))
                            .count());
        }
    }

    static Stream<Arguments> everywhere() {
        return Arrays.stream(Proxying.Kind.values())
                .flatMap(kind -> Arrays.stream(Change.values()).map(change -> Arguments.of(kind, change)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_goes_on_as_it_arrives(Proxying.Kind kind, Change change) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.skip(5);
                    visit.send("HTTP/1.1 103 Early Hints\r\n\r\n");
                    visit.skip(REST.length());
                    visit.send(OK);
                });
                var proxy = change.inFrontOf(backend, kind);
                var client = proxy.connect()) {
            client.send("PUT /a HTTP/1.1\r\nHost: a\r\nX-User: admin\r\nContent-Length: " + (5 + REST.length())
                    + "\r\n\r\nhello");
            assertEquals(103, client.read().status());
            assertEquals("ok", client.send(REST).read().text());
            change.assertSeen(backend.nextHead());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void fields_go_on_behind_chunks(Proxying.Kind kind, Change change) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    var seen = new StringBuilder();
                    while (!seen.toString().endsWith("\r\n0\r\nSum: 5\r\n\r\n")) seen.append((char) visit.in.read());
                    visit.send(OK);
                });
                var proxy = change.inFrontOf(backend, kind);
                var client = proxy.connect()) {
            client.send(CHUNKED);
            assertEquals("ok", client.read().text());
            change.assertSeen(backend.nextHead());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_change_of_protocol_is_made(Proxying.Kind kind, Change change) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            + ACCEPT + "\r\nhello");
                    visit.skip(3);
                    visit.send("bye");
                });
                var proxy = change.inFrontOf(backend, kind);
                var client = proxy.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-User: admin\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + KEY + "\r\n");
            assertEquals(101, client.read().status());
            client.send("you");
            client.socket().shutdownOutput();
            assertEquals("hellobye", new String(client.readAll(), StandardCharsets.ISO_8859_1));
            change.assertSeen(backend.nextHead());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_tunnel_is_made(Proxying.Kind kind, Change change) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.send("hello");
                    visit.skip(3);
                    visit.send("bye");
                });
                var proxy = change.inFrontOfTunnels(backend, kind);
                var client = proxy.connect()) {
            var target = "127.0.0.1:" + backend.port();
            client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
            assertEquals(200, client.readHead().status());
            client.send("you");
            client.socket().shutdownOutput();
            assertEquals("hellobye", new String(client.readAll(), StandardCharsets.ISO_8859_1));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_client_that_leaves_is_left(Proxying.Kind kind, Change change) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
                    sendUntilItEnds(visit);
                });
                var proxy = change.inFrontOf(backend, kind)) {
            try (var client = proxy.connect()) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-User: admin\r\n\r\n");
                assertEquals(200, client.readHead().status());
            }
            backend.awaitClosed();
            change.assertSeen(backend.nextHead());
        }
    }

    private static void sendUntilItEnds(RawBackend.Visit visit) {
        try {
            while (true) visit.send("x".repeat(1000));
        } catch (IOException _) {
            visit.awaitEnd();
        }
    }
}
