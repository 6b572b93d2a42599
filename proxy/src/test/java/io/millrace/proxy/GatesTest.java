package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.filter.Access;
import io.millrace.http.filter.BasicAuth;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.RateLimit;
import io.millrace.http.filter.RealIp;
import io.millrace.http.server.Http;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who gets through, and how often, over real sockets.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GatesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final Networks LOOPBACK = Networks.of("127.0.0.0/8", "::1");

    private static Proxying proxy(Proxying.Kind kind, RawBackend backend, HttpFilter filter) {
        return kind.serve(Upstream.of(backend.uri()), filter::around);
    }

    /// Those that are believed are on this machine.
    private static Proxying behindProxies(RawBackend backend, HttpFilter filter) {
        return proxy(
                Proxying.Kind.NIO_SAME, backend, next -> RealIp.from(LOOPBACK).around(filter.around(next)));
    }

    private static String basic(String user, String password) {
        var text = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic " + text + "\r\n\r\n";
    }

    private static String from(String forwardedFor) {
        return "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + forwardedFor + "\r\n\r\n";
    }

    // How often.

    @ParameterizedTest
    @EnumSource
    void who_asks_too_often_is_told_when_to_come_again(Proxying.Kind kind) throws Exception {
        var limit = RateLimit.of(1, Duration.ofHours(1), 2);
        try (var backend = RawBackend.answering(OK);
                var proxy = proxy(kind, backend, limit);
                var client = proxy.connect()) {
            assertEquals(200, client.get("/").read().status());
            assertEquals(200, client.get("/").read().status());
            var refused = client.get("/").read();
            assertEquals(429, refused.status());
            int seconds = Integer.parseInt(refused.header("Retry-After"));
            assertTrue(seconds > 3500 && seconds <= 3600, () -> "Retry-After: " + seconds);
        }
    }

    @Test
    void clients_behind_a_trusted_proxy_have_buckets_of_their_own() throws Exception {
        var limit = RateLimit.of(1, Duration.ofHours(1), 1);
        try (var backend = RawBackend.answering(OK);
                var proxy = behindProxies(backend, limit);
                var client = proxy.connect()) {
            assertEquals(200, client.send(from("192.0.2.1")).read().status());
            assertEquals(200, client.send(from("192.0.2.2")).read().status());
            assertEquals(429, client.send(from("192.0.2.1")).read().status());
            assertEquals(
                    429, client.send(from("198.51.100.1, 192.0.2.1")).read().status());
        }
    }

    @Test
    void nobody_else_chooses_his_bucket() throws Exception {
        var limit = RateLimit.of(1, Duration.ofHours(1), 1);
        try (var backend = RawBackend.answering(OK);
                var proxy = proxy(Proxying.Kind.NIO_SAME, backend, limit);
                var client = proxy.connect()) {
            assertEquals(200, client.send(from("192.0.2.1")).read().status());
            assertEquals(429, client.send(from("192.0.2.2")).read().status());
        }
    }

    @Test
    void values_of_a_field_have_buckets_of_their_own() throws Exception {
        var handler = RateLimit.of(1, Duration.ofHours(1), 3).byHeader("X-Key").around(_ -> Response.status(204));
        for (var key : List.of("a", "b")) {
            for (int i = 0; i < 3; i++) assertEquals(204, status(handler, "X-Key", key));
            assertEquals(429, status(handler, "X-Key", key));
        }
        assertEquals(204, handler.handle(Request.get("/")).status(), "the last token of the address");
        assertEquals(429, handler.handle(Request.get("/")).status());
    }

    private static int status(HttpHandler handler, String... fields) throws Exception {
        var request = Request.get("/");
        for (int i = 0; i < fields.length; i += 2) request = request.addHeader(fields[i], fields[i + 1]);
        return handler.handle(request).status();
    }

    @Test
    void who_makes_up_values_has_no_more_than_the_bucket_of_its_address() throws Exception {
        var limit = RateLimit.of(1, Duration.ofHours(1), 5).byHeader("X-Key");
        try (var backend = RawBackend.answering(OK);
                var proxy = behindProxies(backend, limit);
                var client = proxy.connect()) {
            int passed = 0;
            for (int i = 0; i < 50; i++) {
                var made = keyed("192.0.2." + 1, "made-up-" + i);
                if (client.send(made).read().status() == 200) passed++;
            }
            assertEquals(5, passed);
            assertEquals(
                    200, client.send(keyed("192.0.2.1", "made-up-0")).read().status(), "a value that is known");
            assertEquals(200, client.send(keyed("192.0.2.2", "other")).read().status(), "another client");
        }
    }

    private static String keyed(String client, String key) {
        return from(client).replace("\r\n\r\n", "\r\nX-Key: " + key + "\r\n\r\n");
    }

    @Test
    void several_lines_of_a_field_are_one_value() throws Exception {
        var handler = RateLimit.of(1, Duration.ofHours(1), 2).byHeader("X-Key").around(_ -> Response.status(204));
        for (int i = 0; i < 2; i++) assertEquals(204, status(handler, "X-Key", "a"));
        assertEquals(429, status(handler, "X-Key", "a"));
        for (int i = 0; i < 2; i++) assertEquals(204, status(handler, "X-Key", "a", "X-Key", "b"));
        assertEquals(429, status(handler, "X-Key", "a", "X-Key", "b"));
    }

    @Test
    void addresses_of_one_network_of_ipv6_share_a_bucket() {
        var limit = RateLimit.of(1, Duration.ofHours(1), 1);
        assertTrue(limit.take(at("2001:db8::1")));
        assertEquals(false, limit.take(at("2001:db8::ffff:1")));
        assertTrue(limit.take(at("2001:db8:0:1::1")));
        assertTrue(limit.take(at("192.0.2.1")));
        assertTrue(limit.take(at("192.0.2.2")));
    }

    private static InetSocketAddress at(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 9);
    }

    @Test
    void rates_that_are_none_are_refused() {
        assertThrows(IllegalArgumentException.class, () -> RateLimit.of(0, Duration.ofSeconds(1), 1));
        assertThrows(IllegalArgumentException.class, () -> RateLimit.of(1, Duration.ZERO, 1));
        assertThrows(IllegalArgumentException.class, () -> RateLimit.of(1, Duration.ofSeconds(1), 0));
    }

    // From where.

    @Test
    void addresses_that_are_not_allowed_are_refused() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = proxy(Proxying.Kind.NIO_SAME, backend, Access.only(Networks.of("10.0.0.0/8")));
                var other = proxy(Proxying.Kind.NIO_SAME, backend, Access.except(Networks.of("10.0.0.0/8")));
                var client = proxy.connect();
                var welcome = other.connect()) {
            assertEquals(403, client.get("/").read().status());
            assertEquals(403, client.send(from("10.0.0.1")).read().status());
            assertEquals(200, welcome.get("/").read().status());
        }
    }

    @Test
    void denied_is_denied_though_it_is_allowed() {
        var access = Access.only(Networks.of("10.0.0.0/8")).and(Access.except(Networks.of("10.1.0.0/16")));
        assertEquals(true, access.allows(at("10.2.0.1")));
        assertEquals(false, access.allows(at("10.1.0.1")));
        assertEquals(false, access.allows(at("192.0.2.1")));
    }

    @Test
    void a_client_without_an_address_is_in_no_network() {
        var client = UnixDomainSocketAddress.of("/client");
        assertEquals(false, Access.only(Networks.ALL).allows(client));
        assertEquals(true, Access.except(Networks.ALL).allows(client));
        assertEquals(
                false,
                Access.only(Networks.ALL).and(Access.except(Networks.ALL)).allows(client));
    }

    /// What a client says stands in front of what the proxies say, and what makes no sense ends the way back.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1, 192.0.2.1",
                "10.0.0.1, nonsense",
                "10.1",
                "10.0.0.1\r\nX-Forwarded-For: 192.0.2.1",
                "10.0.0.1,",
                "::ffff:192.0.2.1",
            })
    void a_client_behind_a_proxy_cannot_say_who_it_is(String told) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = behindProxies(backend, Access.only(Networks.of("10.0.0.0/8")));
                var client = proxy.connect()) {
            assertEquals(403, client.send(from(told)).read().status());
            assertEquals(200, client.send(from("192.0.2.1, 10.0.0.1")).read().status());
            assertEquals(200, client.send(from("10.0.0.1:5555")).read().status());
        }
    }

    // With a password.

    private static BasicAuth auth(Map<String, Predicate<char[]>> users) {
        return BasicAuth.of("the \"engine\"", users);
    }

    private static Predicate<char[]> is(String password, AtomicInteger asked) {
        return given -> {
            asked.incrementAndGet();
            return password.equals(new String(given));
        };
    }

    @ParameterizedTest
    @EnumSource
    void who_has_the_password_gets_through(Proxying.Kind kind) throws Exception {
        var asked = new AtomicInteger();
        try (var backend = RawBackend.answering(OK);
                var proxy = proxy(kind, backend, auth(Map.of("ada", is("s:ecret", asked))));
                var client = proxy.connect()) {
            var refused = client.get("/").read();
            assertEquals(401, refused.status());
            assertEquals("Basic realm=\"the \\\"engine\\\"\", charset=\"UTF-8\"", refused.header("WWW-Authenticate"));
            assertEquals(0, asked.get());
            assertEquals(401, client.send(basic("ada", "wrong")).read().status());
            assertEquals(401, client.send(basic("bob", "s:ecret")).read().status());
            assertEquals(2, asked.get(), "it takes as long for a user that there is not");
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        "hello", client.send(basic("ada", "s:ecret")).read().text());
            }
            assertEquals(3, asked.get(), "what was right is asked once");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic", "Basic ", "Basic !!!!", "Bearer YWRhOnNlY3JldA==", "Basic YWRh", ""})
    void what_is_no_password_is_refused(String field) throws Exception {
        var asked = new AtomicInteger();
        try (var backend = RawBackend.answering(OK);
                var proxy = proxy(Proxying.Kind.NIO_SAME, backend, auth(Map.of("ada", is("secret", asked))));
                var client = proxy.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: " + field + "\r\n\r\n");
            assertEquals(401, client.read().status());
            assertEquals(0, asked.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_waits_until_its_password_was_checked(Proxying.Kind kind) throws Exception {
        var body = "b".repeat(100_000);
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    var bytes = RawClient.exactly(visit.in, body.length());
                    visit.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + (char) bytes[body.length() - 1]);
                    visit.awaitEnd();
                });
                var proxy = proxy(kind, backend, auth(Map.of("ada", is("secret", new AtomicInteger()))));
                var client = proxy.connect()) {
            var head = basic("ada", "secret").replace("GET", "PUT").replace("\r\n\r\n", "\r\n");
            client.send(head + "Content-Length: " + body.length() + "\r\n\r\n" + body);
            assertEquals("b", client.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_gets_bodies_whole_gets_them_after_the_check(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = kind.serve(
                        Upstream.of(backend.uri()),
                        _ -> auth(Map.of("ada", is("secret", new AtomicInteger())))
                                .around(Http.whole(1 << 20, request -> Response.ok(request.text()))));
                var client = proxy.connect()) {
            var head = basic("ada", "secret").replace("GET", "POST").replace("\r\n\r\n", "\r\n");
            assertEquals(
                    "body",
                    client.send(head + "Content-Length: 4\r\n\r\nbody").read().text());
            assertEquals(
                    "more",
                    client.send(head + "Content-Length: 4\r\n\r\nmore").read().text());
        }
    }

    @Test
    void two_fields_with_passwords_are_refused_whichever_is_right() throws Exception {
        var asked = new AtomicInteger();
        try (var backend = RawBackend.answering(OK);
                var proxy = proxy(Proxying.Kind.NIO_SAME, backend, auth(Map.of("ada", is("secret", asked))))) {
            var right = basic("ada", "secret");
            for (var other : List.of("Basic YWRhOndyb25n", "Bearer x")) {
                for (var both : List.of(
                        right.replace("\r\n\r\n", "\r\nAuthorization: " + other + "\r\n\r\n"),
                        right.replace("Authorization:", "Authorization: " + other + "\r\nAuthorization:"))) {
                    try (var client = proxy.connect()) {
                        assertEquals(400, client.send(both).read().status());
                    }
                }
            }
            assertEquals(0, asked.get());
            assertEquals(0, backend.connections());
        }
    }

    /// Each wrong password takes until the test says so.
    @Test
    void a_flood_of_wrong_passwords_keeps_nobody_else_waiting() throws Exception {
        var checked = new Semaphore(0);
        Predicate<char[]> slow = given -> {
            boolean isRight = "secret".equals(new String(given));
            if (!isRight) checked.acquireUninterruptibly();
            return isRight;
        };
        try (var backend = RawBackend.answering(OK);
                var proxy = behindProxies(backend, auth(Map.of("ada", slow)));
                var ada = proxy.connect()) {
            var flood = new ArrayList<RawClient>();
            for (int i = 0; i < 80; i++) flood.add(proxy.connect().send(asking("192.0.2.1", "wrong" + i)));
            ada.send(asking("192.0.2.2", "secret"));
            // As many as a client may have wrong, and under way.
            checked.release(10 + 4);
            assertEquals("hello", ada.read().text());
            checked.release(80);
            int refused = 0;
            for (var client : flood) {
                var answer = client.read();
                if (answer.status() == 429 && !answer.header("Retry-After").isEmpty()) refused++;
                else assertEquals(401, answer.status());
                client.close();
            }
            assertTrue(refused >= 80 - 10 - 4, "refused: " + refused);
            assertEquals("hello", ada.send(asking("192.0.2.1", "secret")).read().text(), "what is known to be right");
        } finally {
            checked.release(1000);
        }
    }

    private static String asking(String client, String password) {
        return basic("ada", password).replace("\r\n\r\n", "\r\nX-Forwarded-For: " + client + "\r\n\r\n");
    }
}
