package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class HttpMessagesTest {
    private static final HttpMessages GET = HttpMessages.get("example.org:8080", "/a?b=c");

    @Test
    void a_request_is_no_longer_than_it_has_to_be() {
        assertSent("GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\n\r\n", GET);
    }

    @Test
    void a_body_comes_with_its_length() {
        assertSent(
                "PUT /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nContent-Length: 5\r\n\r\nhello",
                GET.method("PUT").body(Bytes.utf8("hello")));
    }

    @Test
    void a_method_that_has_a_body_tells_that_it_is_empty() {
        assertSent("POST /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nContent-Length: 0\r\n\r\n", GET.method("POST"));
    }

    @Test
    void another_host_takes_the_place_of_the_one_in_the_URL() {
        assertSent(
                "GET /a?b=c HTTP/1.1\r\nAccept: */*\r\nhost: b\r\nConnection: close\r\n\r\n",
                GET.header("Accept", "*/*").header("host", "b").closing());
    }

    private static void assertSent(String text, HttpMessages messages) {
        assertEquals(text, new String(messages.request(), StandardCharsets.ISO_8859_1));
    }

    @Test
    void what_would_break_the_framing_is_refused() {
        assertRefused("method", () -> GET.method("GET /"));
        assertRefused("CONNECT", () -> GET.method("CONNECT"));
        assertRefused("Content-Length", () -> GET.header("content-length", "5"));
        assertRefused("Transfer-Encoding", () -> GET.header("Transfer-Encoding", "chunked"));
        assertRefused("value of A", () -> GET.header("A", "b\r\nC: d"));
        assertRefused("character", () -> HttpMessages.get("a", "/ HTTP/1.1\r\n"));
        assertRefused("slash", () -> HttpMessages.get("a", "a"));
        assertRefused("status 199", () -> GET.expectingStatus(199));
        assertRefused("length of -3", () -> GET.expectingLength(-3));
    }

    private static void assertRefused(String word, Executable making) {
        var refusal = assertThrows(IllegalArgumentException.class, making);
        assertTrue(String.valueOf(refusal.getMessage()).contains(word), refusal::toString);
    }
}
