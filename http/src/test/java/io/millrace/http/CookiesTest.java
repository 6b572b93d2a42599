package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CookiesTest {
    private static Map<String, String> parsed(String... fields) {
        var request = Request.get("/");
        for (var field : fields) request = request.addHeader("Cookie", field);
        return Cookies.of(request).all();
    }

    private static String sent(Cookie cookie) {
        return cookie.addTo(Response.ok("")).header("Set-Cookie").orElseThrow();
    }

    private static String refused(Supplier<Cookie> making) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, making::get).getMessage());
    }

    // Those of a request.

    @Test
    void a_request_without_cookies_has_none() {
        assertEquals(Map.of(), parsed());
        assertEquals(Optional.empty(), Cookies.of(Request.get("/")).value("a"));
    }

    @Test
    void cookies_keep_their_order() {
        assertEquals(List.of("b", "a", "c"), List.copyOf(parsed("b=1; a=2; c=3").keySet()));
    }

    @Test
    void a_value_may_have_equals_signs_and_be_empty() {
        assertEquals(Map.of("a", "b=c==", "d", ""), parsed("a=b=c==; d="));
    }

    @Test
    void the_first_of_a_name_counts() {
        assertEquals(Map.of("a", "1"), parsed("a=1; a=2", "a=3"));
    }

    @Test
    void names_differ_in_case() {
        assertEquals(Map.of("a", "1", "A", "2"), parsed("a=1; A=2"));
    }

    @Test
    void several_fields_are_one_behind_the_other() {
        assertEquals(Map.of("a", "1", "b", "2"), parsed("a=1", "b=2"));
    }

    @Test
    void quotes_around_a_value_are_not_part_of_it() {
        assertEquals(Map.of("a", "b", "c", "", "d", "\""), parsed("a=\"b\"; c=\"\"; d=\""));
    }

    @Test
    void quotes_hide_no_semicolon() {
        assertEquals(Map.of("a", "\"b", "session", "evil\""), parsed("a=\"b; session=evil\""));
    }

    @Test
    void nothing_of_the_old_standard_is_understood() {
        assertEquals(Map.of("$Version", "1", "a", "b, c=d", "$Path", "/"), parsed("$Version=1; a=b, c=d; $Path=\"/\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ";", ";;;", "=", "=b", "a", "a b=c", "a\"=b", "ü=b", "a=ü", "a=b\tc", " ", "(a)=b"})
    void what_is_no_cookie_is_left_out(String rubbish) {
        assertEquals(Map.of("good", "1"), parsed(rubbish + "; good=1"));
    }

    @Test
    void only_blanks_are_trimmed_so_that_no_name_gets_a_prefix_it_was_not_sent_with() {
        assertEquals(Map.of(), parsed("x\u00a0; \u00a0__Host-a=1; \u0085__Host-a=1"));
        assertEquals(Map.of("__Host-a", "1"), parsed("  __Host-a \t=\t 1  "));
    }

    @Test
    void a_cookie_that_is_too_long_is_left_out() {
        var longest = "x".repeat(Cookies.MOST_BYTES - 1);

        assertEquals(Map.of("a", longest, "c", "1"), parsed("a=" + longest + "; b=" + longest + "x; c=1"));
    }

    @Test
    void those_behind_the_first_hundred_are_left_out() {
        var field = new StringBuilder();
        for (int i = 0; i < 2 * Cookies.MOST; i++) field.append("a").append(i).append("=1;");

        assertEquals(Cookies.MOST, parsed(field.toString()).size());
        assertEquals(Map.of(), parsed(";".repeat(Cookies.MOST) + "a=1"));
        assertEquals(Map.of(), parsed(";".repeat(Cookies.MOST), "a=1"));
    }

    @Test
    void no_rubbish_throws() {
        var random = new Random(20);
        for (int i = 0; i < 20_000; i++) {
            var field = new StringBuilder();
            for (int length = random.nextInt(40); length > 0; length--) {
                field.append(
                        random.nextBoolean() ? ";=\" ,a".charAt(random.nextInt(6)) : (char) (' ' + random.nextInt(95)));
            }
            parsed(field.toString());
        }
    }

    @Test
    void values_are_not_shown() {
        assertFalse(Cookies.of(Request.get("/").addHeader("Cookie", "a=secret"))
                .toString()
                .contains("secret"));
        assertFalse(Cookie.of("a", "secret").toString().contains("secret"));
    }

    // Those of a response.

    @Test
    void a_cookie_begins_safe() {
        assertEquals("a=b; Path=/; HttpOnly; SameSite=Lax", sent(Cookie.of("a", "b")));
    }

    @Test
    void a_cookie_says_everything_that_was_set() {
        var cookie = Cookie.of("a", "b")
                .path("/x")
                .domain("example.org")
                .maxAge(Duration.ofHours(1))
                .secure(true)
                .httpOnly(false)
                .sameSite(Cookie.SameSite.STRICT);

        assertEquals("a=b; Max-Age=3600; Domain=example.org; Path=/x; Secure; SameSite=Strict", sent(cookie));
    }

    @Test
    void a_response_may_have_several() {
        var response = Cookie.of("b", "2").addTo(Cookie.of("a", "1").addTo(Response.ok("")));

        assertEquals(2, response.headers().all("Set-Cookie").size());
    }

    @Test
    void an_age_of_zero_deletes() {
        assertTrue(sent(Cookie.of("a", "").maxAge(Duration.ZERO)).startsWith("a=; Max-Age=0; "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a=b", "a;b", "a\r\nb", "ü", "a\"", "a,b", "a\u0000"})
    void a_name_that_may_not_be_sent_is_refused(String name) {
        refused(() -> Cookie.of(name, "b"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {" ", "a b", "a;b", "a,b", "\"a\"", "a\\b", "ü", "a\r\nSet-Cookie: x=y", "a\u0000", "\u007f"})
    void a_value_that_may_not_be_sent_is_refused(String value) {
        assertTrue(refused(() -> Cookie.of("a", value)).contains("encode"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "/a;b", "/a; Domain=x", "/ü", "/a\r\nb", "/\u0000"})
    void a_path_that_may_not_be_sent_is_refused(String path) {
        refused(() -> Cookie.of("a", "b").path(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".example.org", "example.org.", "a..b", "a b", "a;b", "a_b", "ü.de", "a\r\nb", "a:80"})
    void a_domain_that_is_none_is_refused(String domain) {
        refused(() -> Cookie.of("a", "b").domain(domain));
    }

    @Test
    void attributes_have_a_length() {
        refused(() -> Cookie.of("a", "b").path("/" + "x".repeat(1024)));
        refused(() -> Cookie.of("a", "b").domain("x.".repeat(600) + "org"));
        refused(() -> Cookie.of("a", "x".repeat(4096)));
    }

    @Test
    void an_age_is_whole_seconds() {
        refused(() -> Cookie.of("a", "b").maxAge(Duration.ofSeconds(-1)));
        refused(() -> Cookie.of("a", "b").maxAge(Duration.ofMillis(500)));
    }

    @Test
    void a_cookie_for_all_sites_has_to_be_secure() {
        refused(() -> Cookie.of("a", "b").sameSite(Cookie.SameSite.NONE));
        var cookie = Cookie.of("a", "b").secure(true).sameSite(Cookie.SameSite.NONE);

        assertEquals("a=b; Path=/; Secure; HttpOnly; SameSite=None", sent(cookie));
        refused(() -> cookie.secure(false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"__Host-a", "__host-a", "__Secure-a", "__SECURE-a"})
    void a_name_with_a_prefix_is_secure(String name) {
        assertTrue(sent(Cookie.of(name, "b")).contains("; Secure"));
        refused(() -> Cookie.of(name, "b").secure(false));
    }

    @Test
    void a_cookie_of_the_host_has_no_other_path_and_no_domain() {
        refused(() -> Cookie.of("__Host-a", "b").path("/x"));
        refused(() -> Cookie.of("__Host-a", "b").domain("example.org"));
        sent(Cookie.of("__Secure-a", "b").path("/x").domain("example.org"));
    }

    @Test
    void what_is_sent_is_understood_when_it_comes_back() {
        var random = new Random(21);
        for (int i = 0; i < 2000; i++) {
            var value = new StringBuilder();
            for (int length = random.nextInt(40); length > 0; length--) {
                char c = (char) ('!' + random.nextInt(94));
                if ("\",;\\".indexOf(c) < 0) value.append(c);
            }
            var pair = sent(Cookie.of("a", value.toString())).split("; ", 2)[0];

            assertEquals(Map.of("a", value.toString()), parsed(pair));
        }
    }
}
