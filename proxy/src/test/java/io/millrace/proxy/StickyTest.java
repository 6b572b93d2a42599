package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Cookie.SameSite;
import io.millrace.proxy.backend.StickyCookie;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients that stay with a backend by a cookie.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StickyTest {
    private static final String SECRET = "a secret of some length";
    private static final StickyCookie COOKIE = StickyCookie.of("backend", SECRET);

    private static RawBackend saying(String text) throws IOException {
        return RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    /// One request a connection, so that a listener that is closed is a backend that is gone.
    private static RawBackend sayingOnce(String text) throws IOException {
        return new RawBackend(visit -> {
            visit.head();
            visit.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
        });
    }

    private static Proxying proxy(Proxying.Kind kind, RawBackend... backends) {
        return kind.to(upstream -> upstream.sticky(COOKIE), uris(backends));
    }

    private static String[] uris(RawBackend... backends) {
        return List.of(backends).stream().map(RawBackend::uri).toArray(String[]::new);
    }

    private static RawClient.Reply ask(Proxying proxy, String cookies) throws IOException {
        var field = cookies.isEmpty() ? "" : "Cookie: " + cookies + "\r\n";
        try (var client = proxy.connect()) {
            return client.send("GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n").read();
        }
    }

    /// The cookie that a response sets, without its attributes.
    private static String set(RawClient.Reply reply) {
        return reply.header("Set-Cookie").replaceFirst(";.*", "");
    }

    @ParameterizedTest
    @EnumSource
    void a_client_stays_with_the_backend_of_its_first_request(Proxying.Kind kind) throws Exception {
        try (var one = saying("one");
                var two = saying("two");
                var proxy = proxy(kind, one, two)) {
            var met = new HashSet<String>();
            for (int client = 0; client < 2; client++) {
                var first = ask(proxy, "");
                met.add(first.text());
                for (int i = 0; i < 4; i++) {
                    var next = ask(proxy, "other=x; " + set(first) + "; more=y");
                    assertEquals(first.text(), next.text());
                    assertEquals("", next.header("Set-Cookie"));
                }
            }
            assertEquals(2, met.size(), "others go elsewhere");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_whose_backend_is_gone_gets_another_one_and_a_new_cookie(Proxying.Kind kind) throws Exception {
        try (var one = sayingOnce("one");
                var two = sayingOnce("two");
                var proxy = proxy(kind, one, two)) {
            var first = ask(proxy, "");
            boolean isOne = first.text().equals("one");
            (isOne ? one : two).end();
            var second = ask(proxy, set(first));
            assertEquals(isOne ? "two" : "one", second.text());
            assertTrue(set(second).matches("backend=[A-Za-z0-9_-]{22}"), second::toString);
            assertNotEquals(set(first), set(second));
            var third = ask(proxy, set(second));
            assertEquals(second.text() + " ", third.text() + " " + third.header("Set-Cookie"));
        }
    }

    @Test
    void a_client_whose_backend_is_disabled_moves_and_stays_there() throws Exception {
        try (var one = saying("one");
                var two = saying("two");
                var proxy = proxy(Proxying.Kind.NIO_SAME, one, two)) {
            var first = ask(proxy, "");
            var backends = proxy.upstream().backends().orElseThrow();
            var name = (first.text().equals("one") ? one : two).uri().substring("http://".length());
            assertTrue(backends.setDisabled(name, true, 0));
            var second = ask(proxy, set(first));
            assertNotEquals(first.text(), second.text());
            assertTrue(backends.setDisabled(name, false, 0));
            assertEquals(second.text(), ask(proxy, set(second)).text());
            assertEquals(first.text(), ask(proxy, set(first)).text(), "the old cookie is as good as before");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "AAAAAAAAAAAAAAAAAAAAAA",
                "",
                "../../../etc/passwd",
                "\"quoted\"",
                "%00",
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            })
    void a_forged_cookie_is_ignored_and_replaced(String value) throws Exception {
        try (var one = saying("one");
                var two = saying("two");
                var proxy = proxy(Proxying.Kind.NIO_SAME, one, two)) {
            var met = new HashSet<String>();
            for (int i = 0; i < 2; i++) {
                var reply = ask(proxy, "backend=" + value);
                met.add(reply.text());
                assertTrue(set(reply).matches("backend=[A-Za-z0-9_-]{22}"), reply::toString);
            }
            assertEquals(2, met.size(), "they are shared as if they had none");
        }
    }

    @Test
    void proxies_with_one_secret_agree_and_others_do_not() throws Exception {
        try (var one = saying("one");
                var two = saying("two");
                var proxy = proxy(Proxying.Kind.NIO_SAME, one, two);
                var same = proxy(Proxying.Kind.NIO_SAME, two, one);
                var other = Proxying.Kind.NIO_SAME.to(
                        upstream -> upstream.sticky(StickyCookie.of("backend", SECRET + "!")), uris(one, two));
                var renamed = Proxying.Kind.NIO_SAME.to(
                        upstream -> upstream.sticky(COOKIE).name("renamed"), uris(one, two))) {
            var first = ask(proxy, "");
            assertEquals(
                    first.text() + " ", first.text() + ask(same, set(first)).header("Set-Cookie") + " ");
            assertEquals(first.text(), ask(same, set(first)).text());
            assertNotEquals("", set(ask(other, set(first))));
            assertNotEquals("", set(ask(renamed, set(first))));
        }
    }

    @Test
    void a_cookie_tells_no_address() throws Exception {
        try (var one = saying("one");
                var proxy = proxy(Proxying.Kind.NIO_SAME, one)) {
            var reply = ask(proxy, "");
            assertFalse(reply.toString().contains("" + one.port()), reply::toString);
            assertTrue(
                    reply.header("Set-Cookie").matches("backend=[A-Za-z0-9_-]{22}; Path=/; HttpOnly; SameSite=Lax"),
                    reply::toString);
        }
    }

    @Test
    void a_list_that_changes_keeps_clients_with_backends_that_stay() throws Exception {
        try (var one = saying("one");
                var two = saying("two");
                var three = saying("three");
                var proxy = proxy(Proxying.Kind.NIO_SAME, one, two)) {
            var first = ask(proxy, "");
            var stays = first.text().equals("one") ? one : two;
            proxy.upstream()
                    .become(Upstream.of(three.uri(), stays.uri()).sticky(COOKIE).settings());
            for (int i = 0; i < 4; i++)
                assertEquals(first.text(), ask(proxy, set(first)).text());
        }
    }

    @Test
    void a_websocket_gets_a_cookie_and_goes_where_it_says() throws Exception {
        var upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade"
                + "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
        var asking = "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket"
                + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        try (var one = RawBackend.answering(upgrade);
                var proxy = proxy(Proxying.Kind.NIO_SAME, one)) {
            try (var client = proxy.connect()) {
                var first = client.send(asking + "\r\n").readHead();
                assertEquals(101, first.status());
                assertTrue(set(first).startsWith("backend="), first::toString);
                try (var again = proxy.connect()) {
                    var second = again.send(asking + "Cookie: " + set(first) + "\r\n\r\n")
                            .readHead();
                    assertEquals("101 ", second.status() + " " + second.header("Set-Cookie"));
                }
            }
        }
    }

    @Test
    void the_cookie_counts_even_if_backends_do_not_get_it() throws Exception {
        try (var one = saying("one");
                var two = saying("two");
                var proxy = Proxying.Kind.NIO_SAME.serve(
                        Upstream.of(uris(one, two)).sticky(COOKIE),
                        upstream -> request -> upstream.handle(request.removeHeader("Cookie")))) {
            var first = ask(proxy, "");
            for (int i = 0; i < 4; i++)
                assertEquals(first.text(), ask(proxy, set(first)).text());
        }
    }

    // Settings.

    @Test
    void a_sticky_cookie_is_a_value_that_does_not_tell_its_secret() {
        var one = COOKIE.path("/a").sameSite(SameSite.STRICT).maxAge(Duration.ofHours(1));
        assertEquals(
                one,
                StickyCookie.of("backend", SECRET)
                        .path("/a")
                        .sameSite(SameSite.STRICT)
                        .maxAge(Duration.ofHours(1)));
        assertNotEquals(COOKIE, StickyCookie.of("backend", SECRET + "!"));
        assertFalse(one.toString().contains(SECRET), one::toString);
        assertEquals("backend=x; Max-Age=3600; Path=/a; Secure; HttpOnly; SameSite=Strict", one.text("x", true));
        assertEquals(
                "backend=x; Path=/; Secure; HttpOnly; SameSite=None",
                COOKIE.sameSite(SameSite.NONE).text("x", false));
        assertEquals(
                "backend=x; Path=/; HttpOnly; SameSite=Lax",
                COOKIE.sameSite(SameSite.NONE).sameSite(SameSite.LAX).text("x", false));
        var refused = assertThrows(IllegalArgumentException.class, () -> StickyCookie.of("backend", "too short"));
        assertFalse(String.valueOf(refused.getMessage()).contains("too short"));
        assertThrows(IllegalArgumentException.class, () -> COOKIE.maxAge(Duration.ZERO));
    }
}
