package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.coding.Coding;
import io.millrace.http.coding.Packed;
import io.millrace.http.filter.Compression;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which responses are packed, and what they say then; without a server.
class CompressionTest {
    private static final Bytes TEXT = Bytes.of(Packed.text(1, 5000));
    private static final Request ASKING = Request.get("/").addHeader("Accept-Encoding", "gzip");

    private static final Response TEXT_AGAIN = Response.ok(TEXT, "text/plain");

    private static Response filtered(Request request, Response response) throws Exception {
        return filtered(Compression.gzip(), request, response);
    }

    private static Response filtered(Compression filter, Request request, Response response) throws Exception {
        return filter.around(_ -> response).handle(request);
    }

    private static Response text() {
        return Response.ok(TEXT, "text/plain");
    }

    private static void assertPacked(Coding coding, Response response) throws Exception {
        assertEquals(coding.token(), response.header("Content-Encoding").orElse("none"));
        assertEquals("Accept-Encoding", response.header("Vary").orElse("none"));
        assertArrayEquals(
                TEXT.toArray(), Packed.unpacked(coding, response.body().toArray()));
    }

    private static void assertAsItWas(Response expected, Response response) {
        assertSame(expected, response);
    }

    private static void assertOnlyVaries(Response response) {
        assertFalse(response.headers().has("Content-Encoding"));
        assertEquals("Accept-Encoding", response.header("Vary").orElse("none"));
    }

    // What is packed.

    @Test
    void who_asks_gets_it_packed() throws Exception {
        assertPacked(Coding.GZIP, filtered(ASKING, text()));
        assertPacked(Coding.DEFLATE, filtered(Request.get("/").addHeader("Accept-Encoding", "deflate"), text()));
    }

    @Test
    void who_does_not_ask_gets_it_as_it_is_and_caches_are_told() throws Exception {
        var response = filtered(Request.get("/"), text());
        assertOnlyVaries(response);
        assertEquals(TEXT, response.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/html; charset=utf-8",
                "TEXT/CSS",
                "application/json",
                "application/problem+json",
                "application/atom+xml;type=feed",
                "image/svg+xml",
                "application/wasm",
                "text/javascript"
            })
    void texts_and_their_like_are_packed(String type) throws Exception {
        assertPacked(Coding.GZIP, filtered(ASKING, Response.ok(TEXT, type)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"image/png", "application/zip", "font/woff2", "application/octet-stream", "text/event-stream"})
    void what_is_packed_already_is_not(String type) throws Exception {
        var response = Response.ok(TEXT, type);
        assertAsItWas(response, filtered(ASKING, response));
    }

    @Test
    void another_media_type_is_packed_when_it_is_named() throws Exception {
        var filter = Compression.gzip().type("Application/vnd.mine");
        assertPacked(Coding.GZIP, filtered(filter, ASKING, Response.ok(TEXT, "application/vnd.mine; a=b")));
    }

    @Test
    void short_bodies_are_not_packed_unless_they_are_wanted() throws Exception {
        var shortOne = Response.ok("a".repeat(1023));
        assertAsItWas(shortOne, filtered(ASKING, shortOne));
        assertTrue(filtered(ASKING, Response.ok("a".repeat(1024))).headers().has("Content-Encoding"));
        assertTrue(filtered(Compression.gzip().least(1023), ASKING, shortOne)
                .headers()
                .has("Content-Encoding"));
    }

    @Test
    void who_refuses_plain_bodies_gets_short_ones_packed() throws Exception {
        var response = filtered(Request.get("/").addHeader("Accept-Encoding", "gzip, identity;q=0"), Response.ok("a"));
        assertEquals("gzip", response.header("Content-Encoding").orElseThrow());
        assertArrayEquals(
                new byte[] {'a'}, Packed.unpacked(Coding.GZIP, response.body().toArray()));
    }

    @Test
    void what_does_not_become_smaller_is_left_as_it_is() throws Exception {
        var noise = Response.ok(Bytes.of(Packed.noise(1, 5000)), "text/plain");
        var response = filtered(ASKING, noise);
        assertOnlyVaries(response);
        assertEquals(noise.body(), response.body());
    }

    @ParameterizedTest
    @CsvSource({
        "Content-Encoding, br",
        "Content-Encoding, identity",
        "Cache-Control, no-transform",
        "Cache-Control, 'max-age=5, No-Transform'",
        "Content-Digest, sha-256=:AAAA:",
        "Repr-Digest, sha-256=:AAAA:"
    })
    void a_response_that_says_so_is_left_as_it_is(String field, String value) throws Exception {
        var response = text().addHeader(field, value);
        assertAsItWas(response, filtered(ASKING, response));
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 205})
    void a_response_without_content_is_left_as_it_is(int status) throws Exception {
        var response = Response.status(status).type("text/plain");
        assertAsItWas(response, filtered(ASKING, response));
    }

    @Test
    void a_part_of_a_file_is_left_as_it_is_and_caches_are_told() throws Exception {
        var part = Response.stream(206, out -> false)
                .type("text/plain")
                .length(5000)
                .addHeader("Content-Range", "bytes 0-4999/10000");
        assertOnlyVaries(filtered(ASKING, part));
    }

    @Test
    void errors_are_packed_too() throws Exception {
        var response = filtered(
                ASKING, Response.stream(500, out -> false).type("text/html").length(5000));
        assertEquals(500, response.status());
        assertTrue(response.headers().has("Content-Encoding"));
    }

    // What they say.

    @Test
    void a_strong_tag_becomes_a_weak_one() throws Exception {
        assertEquals("W/\"a\"", tag(filtered(ASKING, text().addHeader("ETag", "\"a\""))));
        assertEquals("W/\"a\"", tag(filtered(ASKING, text().addHeader("ETag", "W/\"a\""))));
        assertEquals("\"a\"", tag(filtered(Request.get("/"), text().addHeader("ETag", "\"a\""))));
    }

    private static String tag(Response response) {
        assertEquals(1, response.headers().all("ETag").size());
        return response.header("ETag").orElseThrow();
    }

    @Test
    void news_that_nothing_has_changed_has_the_tag_that_the_content_had() throws Exception {
        var same = Response.status(304).addHeader("ETag", "\"a\"");
        assertEquals("W/\"a\"", tag(filtered(ASKING, same)));
        assertEquals("\"a\"", tag(filtered(Request.get("/"), same)));
        assertOnlyVaries(filtered(ASKING, same));
    }

    @Test
    void what_is_packed_has_no_ranges() throws Exception {
        var response = text().addHeader("Accept-Ranges", "bytes");
        assertFalse(filtered(ASKING, response).headers().has("Accept-Ranges"));
        assertTrue(filtered(Request.get("/"), response).headers().has("Accept-Ranges"));
    }

    @ParameterizedTest
    @CsvSource({"*, 1", "Accept-Encoding, 1", "'Origin, accept-encoding', 1", "Origin, 2"})
    void a_response_that_varies_already_says_it_once(String vary, int fields) throws Exception {
        var response = filtered(ASKING, text().addHeader("Vary", vary));
        assertEquals(fields, response.headers().all("Vary").size());
        assertEquals(vary, response.header("Vary").orElseThrow());
    }

    @Test
    void a_constant_response_is_packed_once() throws Exception {
        var constant = text();
        var filter = Compression.gzip();
        var second = filtered(filter, ASKING, filtered(filter, ASKING, constant).status() == 200 ? constant : text());
        assertPacked(Coding.GZIP, second);
        assertSame(second, filtered(filter, ASKING, constant));
        assertNotSame(second, filtered(Compression.gzip(), ASKING, constant));
        assertOnlyVaries(filtered(filter, Request.get("/"), constant));
        assertPacked(
                Coding.DEFLATE, filtered(filter, Request.get("/").addHeader("Accept-Encoding", "deflate"), constant));
    }

    @Test
    void named_types_take_the_place_of_the_usual_ones() throws Exception {
        var filter = Compression.gzip().types(List.of("text/*", "application/vnd.mine"));
        for (var type : List.of("text/plain", "text/html; charset=utf-8", "application/vnd.mine"))
            assertPacked(Coding.GZIP, filtered(filter, ASKING, Response.ok(TEXT, type)));
        for (var type : List.of("application/json", "text/event-stream")) {
            var response = Response.ok(TEXT, type);
            assertAsItWas(response, filtered(filter, ASKING, response));
        }
        assertAsItWas(TEXT_AGAIN, filtered(Compression.gzip().types(List.of()), ASKING, TEXT_AGAIN));
    }

    @Test
    void a_peer_that_has_the_content_as_it_was_is_told_of_its_strong_tag() throws Exception {
        var unchanged = Response.status(304).setHeader("ETag", "\"a\"");
        var request = ASKING.addHeader("If-None-Match", "\"a\"");
        assertEquals(Optional.of("\"a\""), filtered(request, unchanged).header("ETag"));
    }

    @Test
    void filters_with_the_same_settings_are_equal() {
        var filter = Compression.gzip().level(5).least(0).types(List.of("text/*"));
        assertEquals(filter, Compression.gzip().level(5).least(0).types(List.of("TEXT/*")));
        assertEquals(
                filter.hashCode(),
                Compression.gzip().level(5).least(0).types(List.of("text/*")).hashCode());
        assertNotEquals(filter, filter.type("a/b"));
        assertNotEquals(Compression.gzip(), Compression.gzip().types(List.of()));
        assertEquals(List.of(5, 0, List.of("text/*")), List.of(filter.level(), filter.least(), filter.types()));
    }

    @Test
    void values_that_make_no_sense_are_refused_with_the_remedy() {
        var filter = Compression.gzip();
        Asking.assertSays("take 1 to 9", assertThrows(IllegalArgumentException.class, () -> filter.level(0)));
        Asking.assertSays("take 1 to 9", assertThrows(IllegalArgumentException.class, () -> filter.level(10)));
        Asking.assertSays("take 0 or more", assertThrows(IllegalArgumentException.class, () -> filter.least(-1)));
        Asking.assertSays("not a media type", assertThrows(IllegalArgumentException.class, () -> filter.type("text")));
        Asking.assertSays(
                "not a media type", assertThrows(IllegalArgumentException.class, () -> filter.type("a/b; c=d")));
    }
}
