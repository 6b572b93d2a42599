package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A filter for what is served over TLS alone.
class HttpsOnlyTest {
    private static final HttpHandler APP = request -> Response.ok(request.path());

    private static Response ask(Https filter, Request request) throws Exception {
        return filter.around(APP).handle(request);
    }

    private static Request open(String target, String host) {
        return Request.of("POST", target, Bytes.EMPTY).addHeader("Host", host);
    }

    @ParameterizedTest
    @CsvSource({
        "443, example.org, /a?b=c, https://example.org/a?b=c",
        "443, example.org:80, /, https://example.org/",
        "8443, example.org:8080, /a/, https://example.org:8443/a/",
        "443, [::1]:8080, /, https://[::1]/",
        "8443, '[::1]', /, https://[::1]:8443/"
    })
    void who_asks_in_the_clear_is_sent_elsewhere(int port, String host, String target, String there) throws Exception {
        var response = ask(Https.only().port(port), open(target, host));
        assertEquals(308, response.status());
        assertEquals(Optional.of(there), response.header("Location"));
        assertEquals(Optional.empty(), response.header("Strict-Transport-Security"));
    }

    @Test
    void nobody_is_sent_to_a_host_that_was_not_named() throws Exception {
        assertEquals(400, ask(Https.only(), Request.get("/")).status());
        assertEquals(400, ask(Https.only(), open("*", "example.org")).status());
        assertEquals(400, ask(Https.only(), open("/", "")).status());
    }

    @Test
    void who_asks_over_tls_is_told_to_remember() throws Exception {
        var secure = Request.get("https://example.org/a");
        var response = ask(Https.only(), secure);
        assertEquals("/a", response.text());
        assertEquals(Optional.of("max-age=31536000"), response.header("Strict-Transport-Security"));
        var all = Https.only().remembered(Duration.ofHours(1)).withSubdomains();
        assertEquals(
                Optional.of("max-age=3600; includeSubDomains"), ask(all, secure).header("Strict-Transport-Security"));
    }

    @Test
    void what_a_handler_says_itself_stays() throws Exception {
        HttpHandler own = _ -> Response.ok("").addHeader("Strict-Transport-Security", "max-age=0");
        var response = Https.only().around(own).handle(Request.get("https://example.org/"));
        assertEquals(1, response.headers().all("Strict-Transport-Security").size());
    }

    @Test
    void what_makes_no_sense_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> Https.only().port(0));
        assertThrows(IllegalArgumentException.class, () -> Https.only().remembered(Duration.ofSeconds(-1)));
    }
}
