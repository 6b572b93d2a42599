package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import io.millrace.http.Response;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpiresTest {
    private static final Expires EXPIRES = Expires.of()
            .type("*/*", Duration.ofMinutes(10))
            .type("text/html", Duration.ZERO)
            .type("Image/*", Duration.ofDays(30))
            .immutable("image/png", Duration.ofDays(365));

    private static Optional<String> said(Request request, Response response) throws Exception {
        return EXPIRES.around(_ -> response).handle(request).header("Cache-Control");
    }

    private static Response of(int status, String type) {
        return Response.of(status, type, "content");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            text/html; charset=utf-8 | max-age=0
            image/svg+xml            | max-age=2592000
            IMAGE/PNG                | max-age=31536000, immutable
            application/json         | max-age=600
            """)
    void the_narrowest_media_type_counts(String type, String said) throws Exception {
        assertEquals(Optional.of(said), said(Request.get("/"), of(200, type)));
    }

    @ParameterizedTest
    @CsvSource({
        "200, true",
        "203, true",
        "206, true",
        "304, true",
        "201, false",
        "301, false",
        "404, false",
        "500, false"
    })
    void errors_and_redirects_are_left_alone(int status, boolean isSaid) throws Exception {
        assertEquals(isSaid, said(Request.get("/"), of(status, "image/gif")).isPresent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cache-Control: no-store", "Expires: 0", "Set-Cookie: a=b"})
    void a_response_that_says_so_itself_is_left_alone(String field) throws Exception {
        var parts = field.split(": ", 2);
        var response = of(200, "image/gif").setHeader(parts[0], parts[1]);
        assertEquals(response.header("Cache-Control"), said(Request.get("/"), response));
    }

    @Test
    void other_methods_and_responses_without_a_media_type_are_left_alone() throws Exception {
        assertEquals(Optional.empty(), said(Request.post("/", Bytes.EMPTY), of(200, "image/gif")));
        assertEquals(Optional.empty(), said(Request.get("/"), Response.status(304)));
        assertEquals(Optional.empty(), said(Request.get("/"), of(200, "text/event-stream")));
        assertEquals(Optional.of("max-age=0"), said(Request.of("HEAD", "/", Bytes.EMPTY), of(200, "text/html")));
        var few = Expires.of().type("image/gif", Duration.ofDays(1));
        assertEquals(
                Optional.empty(),
                few.around(_ -> of(200, "text/html")).handle(Request.get("/")).header("Cache-Control"));
    }

    @Test
    void values_that_make_no_sense_are_refused() {
        var expires = Expires.of();
        for (var time : List.of(Duration.ofSeconds(-1), Duration.ofMillis(1500), Duration.ofDays(366)))
            assertThrows(IllegalArgumentException.class, () -> expires.type("a/b", time));
        assertThrows(IllegalArgumentException.class, () -> expires.type("text", Duration.ZERO));
    }

    @Test
    void filters_with_the_same_settings_are_equal() {
        assertEquals(Expires.of().type("A/b", Duration.ZERO), Expires.of().type("a/B", Duration.ZERO));
        assertNotEquals(Expires.of().type("a/b", Duration.ZERO), Expires.of().immutable("a/b", Duration.ZERO));
    }
}
