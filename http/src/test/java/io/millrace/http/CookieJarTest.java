package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.CookieJar;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which cookies are kept, and who gets them back.
class CookieJarTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final CookieJar jar = CookieJar.create(() -> now, "co.uk"::equals);

    /// What is behind the jar: answers with these cookies, and notes what came.
    private static final class Server implements ClientFilter.Rest {
        private final List<String> cookies;
        private final List<String> seen = new ArrayList<>();

        Server(String... cookies) {
            this.cookies = List.of(cookies);
        }

        @Override
        public CompletionStage<Response> send(Request request) {
            assertTrue(request.headers("Cookie").size() < 2);
            seen.add(request.header("Cookie").orElse(""));
            var response = Response.ok("hello");
            for (var cookie : cookies) response = response.addHeader("Set-Cookie", cookie);
            return CompletableFuture.completedStage(response);
        }

        @Override
        public CompletionStage<Void> delay(Duration time) {
            throw new UnsupportedOperationException();
        }
    }

    private void set(String uri, String... cookies) {
        assertEquals(
                200,
                jar.send(Request.get(uri), new Server(cookies))
                        .toCompletableFuture()
                        .join()
                        .status());
    }

    private String sent(Request request) {
        var server = new Server();
        var _ = jar.send(request, server).toCompletableFuture().join();
        return server.seen.getFirst();
    }

    private String sent(String uri) {
        return sent(Request.get(uri));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // set by | cookie | asked next | sent
                "http://a.example.org/ | n=v | http://a.example.org/x | n=v",
                "http://a.example.org/ | n=v | http://a.example.org:8080/ | n=v",
                "http://a.example.org/ | n=v | http://example.org/ | ''",
                "http://a.example.org/ | n=v | http://b.a.example.org/ | ''",
                "http://a.example.org/ | n=v; Domain=example.org | http://example.org/ | n=v",
                "http://a.example.org/ | n=v; Domain=.example.org | http://b.example.org/ | n=v",
                "http://a.example.org/ | n=v; Domain=EXAMPLE.org | http://c.b.example.org/ | n=v",
                "http://a.example.org/ | n=v; Domain=example.org | http://badexample.org/ | ''",
                "http://a.example.org/ | n=v; Domain=b.example.org | http://b.example.org/ | ''",
                "http://a.example.org/ | n=v; Domain=b.a.example.org | http://b.a.example.org/ | ''",
                "http://example.org/ | n=v; Domain=org | http://other.org/ | ''",
                "http://example.org/ | n=v; Domain=org | http://example.org/ | ''",
                "http://example.org/ | n=v; Domain=. | http://example.org/ | n=v",
                "http://localhost/ | n=v; Domain=localhost | http://localhost/ | n=v",
                "http://localhost/ | n=v; Domain=localhost | http://a.localhost/ | ''",
                "http://x.co.uk/ | n=v; Domain=co.uk | http://y.co.uk/ | ''",
                "http://co.uk/ | n=v; Domain=co.uk | http://co.uk/ | n=v",
                "http://co.uk/ | n=v; Domain=co.uk | http://y.co.uk/ | ''",
                "http://127.0.0.1/ | n=v; Domain=127.0.0.1 | http://127.0.0.1/ | n=v",
                "http://127.0.0.1/ | n=v; Domain=0.0.1 | http://127.0.0.1/ | ''",
                "http://[::1]/ | n=v | http://[::1]/ | n=v",
                "http://a.org/p/q | n=v | http://a.org/p/r | n=v",
                "http://a.org/p/q | n=v | http://a.org/p | n=v",
                "http://a.org/p/q | n=v | http://a.org/ | ''",
                "http://a.org/p/q | n=v | http://a.org/px | ''",
                "http://a.org/ | n=v; Path=/p | http://a.org/p | n=v",
                "http://a.org/ | n=v; Path=/p | http://a.org/p/q?x | n=v",
                "http://a.org/ | n=v; Path=/p | http://a.org/pq | ''",
                "http://a.org/ | n=v; Path=/p/ | http://a.org/p/q | n=v",
                "http://a.org/ | n=v; Path=/p/ | http://a.org/p | ''",
                "http://a.org/x/y | n=v; Path=p | http://a.org/x/ | n=v",
                "http://a.org/x/y | n=v; Path=p | http://a.org/p | ''",
                "https://a.org/ | n=v; Secure | https://a.org/ | n=v",
                "https://a.org/ | n=v; Secure | http://a.org/ | ''",
                "https://a.org/ | n=v | http://a.org/ | n=v",
                "http://a.org/ | n=v; Secure | https://a.org/ | ''",
                "https://a.org/ | __Host-n=v; Secure; Path=/ | https://a.org/ | __Host-n=v",
                "https://a.org/ | __Host-n=v; Secure | https://a.org/ | ''",
                "https://a.org/ | __Host-n=v; Path=/ | https://a.org/ | ''",
                "https://a.org/ | __host-n=v; Secure; Path=/; Domain=a.org | https://a.org/ | ''",
                "https://a.org/ | __Secure-n=v; Secure | https://a.org/ | __Secure-n=v",
                "https://a.org/ | __SECURE-n=v | https://a.org/ | ''",
                "http://a.org/ | __Secure-n=v; Secure | https://a.org/ | ''",
                "http://a.org/ | n | http://a.org/ | ''",
                "http://a.org/ | =v | http://a.org/ | ''",
                "http://a.org/ | n= | http://a.org/ | n=",
                "http://a.org/ | n=\"a b\" | http://a.org/ | n=\"a b\"",
                "http://a.org/ | n=a=b | http://a.org/ | n=a=b",
                "http://a.org/ | ' n = v ; HttpOnly; SameSite=Strict' | http://a.org/ | n=v",
                "http://a.org/ | n=v; Path=/x; Path=/ | http://a.org/ | n=v",
            })
    void a_cookie_goes_where_its_server_may_send_it(String from, String cookie, String to, String expected) {
        set(from, cookie);
        assertEquals(expected, sent(to));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // attributes | seconds later | whether it is there
                "Max-Age=10 | 9 | true",
                "Max-Age=10 | 10 | false",
                "Max-Age=0 | 0 | false",
                "Max-Age=-1 | 0 | false",
                "Max-Age=x | 100000 | true",
                "Max-Age=99999999999999999999 | 34000000 | true",
                "Max-Age=99999999999999999999 | 35000000 | false",
                "Expires=Thu, 01 Jan 2026 00:01:00 GMT | 59 | true",
                "Expires=Thu, 01 Jan 2026 00:01:00 GMT | 60 | false",
                "Expires=Thu, 01-Jan-2026 00:01:00 GMT | 59 | true",
                "Expires=Thu, 01-Jan-26 00:01:00 GMT | 60 | false",
                "Expires=Thu Jan  1 00:01:00 2026 | 60 | false",
                "Expires=Wed, 31 Dec 1980 00:00:00 GMT | 0 | false",
                "Expires=never | 100000 | true",
                "Expires=Thu, 32 Jan 2026 00:00:00 GMT | 100000 | true",
                "Max-Age=10; Expires=Wed, 31 Dec 1980 00:00:00 GMT | 9 | true",
            })
    void a_cookie_is_over_when_its_server_says_so(String attributes, int seconds, boolean isThere) {
        set("http://a.org/", "n=v; " + attributes);
        now = now.plusSeconds(seconds);
        assertEquals(isThere ? "n=v" : "", sent("http://a.org/"));
    }

    @Test
    void the_longest_path_comes_first_and_then_the_oldest() {
        set("http://a.org/", "one=1", "two=2; Path=/p", "three=3", "four=4; Path=/p/q", "five=5; Path=/p");
        set("http://a.org/", "one=again");
        assertEquals("four=4; two=2; five=5; one=again; three=3", sent("http://a.org/p/q"));
    }

    @Test
    void a_cookie_replaces_one_of_its_name_domain_and_path_alone() {
        set("http://a.org/", "n=1", "n=2; Path=/p", "n=3; Domain=a.org");
        assertEquals(3, jar.size());
        set("http://a.org/", "n=4");
        assertEquals(3, jar.size());
        set("http://a.org/", "n=x; Max-Age=0");
        assertEquals("n=2; n=3", sent("http://a.org/p"));
    }

    @Test
    void a_server_without_tls_does_not_cover_a_secure_cookie() {
        set("https://a.org/login", "id=secret; Secure; Path=/login");
        set("http://a.org/login", "id=evil; Path=/login");
        set("http://b.a.org/", "id=evil; Domain=a.org; Path=/login/x");
        assertEquals("id=secret", sent("https://a.org/login/x"));
        set("http://a.org/", "id=other; Path=/elsewhere");
        assertEquals("id=other", sent("https://a.org/elsewhere"));
        set("https://a.org/login", "id=newer; Path=/login");
        assertEquals("id=newer", sent("https://a.org/login/x"));
    }

    @Test
    void the_cookies_of_the_request_stand_in_front() {
        set("http://a.org/", "n=jar", "m=jar");
        assertEquals("n=own; m=jar", sent(Request.get("http://a.org/").addHeader("Cookie", "n=own")));
    }

    @Test
    void there_are_as_many_as_its_limits_say() {
        for (int i = 0; i < 60; i++) set("http://a.org/", "n" + i + "=v");
        assertEquals(50, jar.size());
        assertFalse(sent("http://a.org/").contains("n9=v"));
        assertTrue(sent("http://a.org/").contains("n59=v"));
        for (int i = 0; i < 3_100; i++) set("http://h" + i + ".org/", "n=v");
        assertEquals(3_000, jar.size());
        assertEquals("", sent("http://h0.org/"));
        assertEquals("n=v", sent("http://h3099.org/"));
        jar.clear();
        assertEquals(0, jar.size());
    }

    @Test
    void a_server_without_tls_pushes_out_no_secure_cookie() {
        for (int i = 0; i < 49; i++) set("https://a.org/", "s" + i + "=v; Secure");
        set("https://a.org/", "plain=v");
        for (int i = 0; i < 60; i++) set("http://a.org/", "n" + i + "=v");
        assertEquals(50, jar.size());
        var sent = sent("https://a.org/");
        for (int i = 0; i < 49; i++) assertTrue(sent.contains("s" + i + "=v"), sent);
        assertTrue(sent.endsWith("n59=v"), sent);
        for (int i = 0; i < 3_100; i++) set("http://h" + i + ".org/", "n=v");
        assertEquals(3_000, jar.size());
        assertEquals(48, sent("https://a.org/").chars().filter(c -> c == ';').count());
    }

    @Test
    void what_is_over_leaves_first_and_then_what_the_largest_domain_has_and_used_least() {
        for (int i = 0; i < 2_950; i++) set("http://h" + i + ".org/", "n=v");
        for (int i = 0; i < 49; i++) set("http://large.org/", "n" + i + "=v");
        set("http://large.org/", "short=v; Max-Age=1");
        now = now.plusSeconds(2);
        set("http://other.org/", "n=v");
        assertEquals(49, sent("http://large.org/").split(" ", -1).length);
        set("http://another.org/", "n=v");
        assertEquals("n=v", sent("http://h0.org/"));
        assertFalse(sent("http://large.org/").contains("n0=v"));
        assertEquals(3_000, jar.size());
    }

    @Test
    void a_secure_cookie_makes_room_for_another_where_all_are() {
        for (int i = 0; i < 51; i++) set("https://a.org/", "s" + i + "=v; Secure");
        assertEquals(50, jar.size());
        assertFalse(sent("https://a.org/").contains("s0=v"));
    }

    @Test
    void what_is_too_long_is_not_kept_and_a_request_takes_8_kib_at_most() {
        set("http://a.org/", "n=" + "x".repeat(4096), "p=v; Path=/" + "x".repeat(1024));
        assertEquals("p=v", sent("http://a.org/"));
        for (int i = 0; i < 5; i++) set("http://a.org/", "n" + i + "=" + "x".repeat(3_000));
        assertTrue(sent("http://a.org/").length() <= 8 << 10);
        assertTrue(sent("http://a.org/").length() > 6_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"n=a\tb", "n=ä", "n\u0001=v", "n=a\u007f"})
    void what_may_not_be_sent_is_not_kept(String cookie) {
        var _ = jar.send(Request.get("http://a.org/"), new ClientFilter.Rest() {
            @Override
            public CompletionStage<Response> send(Request request) {
                return CompletableFuture.completedStage(
                        io.millrace.http.message.BuiltResponse.received(200, raw(cookie), Bytes.EMPTY));
            }

            @Override
            public CompletionStage<Void> delay(Duration time) {
                throw new UnsupportedOperationException();
            }
        });
        assertEquals("", sent("http://a.org/"));
    }

    private static Headers raw(String cookie) {
        try {
            return Headers.EMPTY.with("Set-Cookie", cookie);
        } catch (IllegalArgumentException _) {
            return Headers.EMPTY;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_sends_back_what_it_got_also_with_a_redirect(Serving.Kind kind) throws IOException {
        try (var other = kind.serve(
                        request -> Response.ok(Cookies.of(request).value("id").orElse("none")));
                var serving = kind.serve(request -> switch (request.path()) {
                    case "/login" -> Cookie.of("id", "7").addTo(Response.redirect("/home"));
                    case "/away" -> Response.redirect(other.url("/").replace("127.0.0.1", "localhost"));
                    default -> Response.ok(Cookies.of(request).value("id").orElse("none"));
                });
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .connect(host -> io.millrace.Connect.to("127.0.0.1", host.getPort()))
                        .redirects(3)
                        .cookies(CookieJar.create()))) {
            assertEquals("none", client.send(Request.get(serving.url("/home"))).text());
            assertEquals("7", client.send(Request.get(serving.url("/login"))).text());
            assertEquals("7", client.send(Request.get(serving.url("/home"))).text());
            assertEquals("none", client.send(Request.get(serving.url("/away"))).text());
        }
    }

    @Test
    void it_stands_behind_redirects_and_nowhere_else() {
        var standard = ClientSettings.standard();
        Asking.assertSays("use cookies(…)", assertThrows(IllegalArgumentException.class, () -> standard.filter(jar)));
    }

    @Test
    void it_says_nothing_of_values() {
        set("http://a.org/", "id=secret");
        assertEquals("1 cookies", jar.toString());
    }
}
