package io.millrace.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MediaTypesTest {
    @ParameterizedTest
    @CsvSource({
        "index.html, text/html; charset=utf-8",
        "a.css, text/css; charset=utf-8",
        "a.mjs, text/javascript; charset=utf-8",
        "a.txt, text/plain; charset=utf-8",
        "a.json, application/json",
        "a.svg, image/svg+xml",
        "a.wasm, application/wasm",
        "a.woff2, font/woff2",
        "a.mp4, video/mp4"
    })
    void the_extension_says_what_a_file_is(String name, String type) {
        assertEquals(type, MediaTypes.of(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"A.GIF", "a.Gif", "a.b.gif", "a.html.gif", "/some.where/a.gif", ".gif"})
    void only_the_last_extension_counts_in_any_case(String name) {
        assertEquals("image/gif", MediaTypes.of(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "html", "a", "a.", ".", "a.html.", "a.unheard-of", "a.html~", "b.html/a", "a. html"})
    void what_is_not_known_is_bytes(String name) {
        assertEquals("application/octet-stream", MediaTypes.of(name));
    }

    /// Under the rules of Turkish, the small letter of `I` is another one.
    @ParameterizedTest
    @ValueSource(strings = {"A.GIF", "A.ICO", "A.HTML"})
    void the_language_of_the_machine_changes_nothing(String name) {
        var before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.of("tr", "TR"));
            assertEquals(MediaTypes.of(name.toLowerCase(Locale.ROOT)), MediaTypes.of(name));
        } finally {
            Locale.setDefault(before);
        }
    }
}
