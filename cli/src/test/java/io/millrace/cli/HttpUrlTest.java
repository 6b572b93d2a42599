package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.loop.Wording;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpUrlTest {
    @ParameterizedTest
    @CsvSource({
        "http://example.org, example.org:80, example.org, /",
        "HTTP://example.org:8080/, example.org:8080, example.org:8080, /",
        "http://127.0.0.1:8080/a/../b%20?c=d&e#f, 127.0.0.1:8080, 127.0.0.1:8080, /a/../b%20?c=d&e",
        "http://[::1]?a, [::1]:80, [::1], /?a",
        "http://[::1]:81/, [::1]:81, [::1]:81, /"
    })
    void is_taken_apart_and_sent_as_it_was_written(String text, String server, String host, String target) {
        var url = new HttpUrl.Converter().convert(text);
        assertEquals(server, Wording.of(url.server()));
        assertEquals(host, url.host());
        assertEquals(target, url.target());
    }
}
