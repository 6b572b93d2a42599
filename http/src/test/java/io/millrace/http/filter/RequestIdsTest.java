package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdsTest {
    @TempDir
    Path folder;

    private static final RequestIds IDS = RequestIds.standard().source(() -> "made");
    private static final HttpHandler SEEN = request -> {
        if (request.path().equals("/fail")) throw new HttpError(409, "on purpose");
        return Response.ok(RequestIds.of(request).orElse("-") + " " + request.headers("X-Request-Id"));
    };

    private static Response answer(RequestIds ids, String... said) throws Exception {
        var request = Request.get("/");
        for (var id : said) request = request.addHeader("X-Request-Id", id);
        return ids.around(SEEN).handle(request);
    }

    @Test
    void a_request_gets_a_name_for_its_handler_and_its_client() throws Exception {
        var response = answer(IDS);
        assertEquals("made [made]", response.text());
        assertEquals(List.of("made"), response.headers().all("X-Request-Id"));
    }

    @Test
    void each_has_another() throws Exception {
        var first = answer(RequestIds.standard()).header("X-Request-Id").orElseThrow();
        assertTrue(first.matches("[0-9a-f]{32}"), first);
        assertNotEquals(
                first, answer(RequestIds.standard()).header("X-Request-Id").orElseThrow());
    }

    @Test
    void what_a_client_says_counts_for_nothing_unless_it_is_trusted() throws Exception {
        assertEquals("made [made]", answer(IDS, "theirs").text());
        assertEquals("theirs [theirs]", answer(IDS.trusting(true), "theirs").text());
        assertEquals(Optional.of("theirs"), answer(IDS.trusting(true), "theirs").header("x-request-id"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a,b", "a\"b", "a;b", "ü", "<script>", "a\tb", "%0d%0a"})
    void what_is_not_well_formed_is_replaced(String said) throws Exception {
        assertEquals("made [made]", answer(IDS.trusting(true), said).text());
    }

    @Test
    void one_of_128_characters_is_taken_and_a_longer_one_or_two_are_not() throws Exception {
        var longest = "a".repeat(128);
        assertEquals(Optional.of(longest), answer(IDS.trusting(true), longest).header("X-Request-Id"));
        assertEquals(
                Optional.of("made"), answer(IDS.trusting(true), longest + "a").header("X-Request-Id"));
        assertEquals(Optional.of("made"), answer(IDS.trusting(true), "a", "b").header("X-Request-Id"));
    }

    @Test
    void the_field_can_be_another_one() throws Exception {
        var ids = IDS.field("X-Correlation-Id");
        assertEquals(Optional.of("made"), answer(ids).header("X-Correlation-Id"));
        assertEquals("made []", answer(ids).text());
        assertThrows(IllegalArgumentException.class, () -> IDS.field("a b"));
    }

    @Test
    void a_source_that_makes_what_breaks_a_head_is_named() {
        var refused = assertThrows(IllegalStateException.class, () -> answer(IDS.source(() -> "a\r\nb")));
        assertTrue(String.valueOf(refused.getMessage()).contains("source"), refused.getMessage());
    }

    @Test
    void without_the_filter_there_is_none() {
        assertEquals(Optional.empty(), RequestIds.of(Request.get("/")));
    }

    @ParameterizedTest
    @EnumSource
    void an_error_has_one_too(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(IDS.around(SEEN));
                var peer = serving.connect()) {
            assertEquals("made", peer.get("/").read().header("x-request-id"));
            assertEquals("made", peer.get("/fail").read().header("x-request-id"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_line_of_the_access_log_has_it(Serving.Kind kind) throws IOException {
        var file = folder.resolve("access.log");
        var heard = new LinkedBlockingQueue<Optional<String>>();
        try (var log = AccessLog.open(AccessLog.Format.JSON, Optional.of(file))) {
            RequestListener listener = served -> heard.add(served.request().flatMap(RequestIds::of));
            var settings = HttpSettings.standard().listener(log.andThen(listener));
            try (var serving = kind.serve(settings, IDS.around(SEEN));
                    var peer = serving.connect()) {
                peer.get("/").read();
                peer.get("/fail").read();
            }
        }
        assertEquals(List.of(Optional.of("made"), Optional.of("made")), List.copyOf(heard));
        var lines = Files.readAllLines(file);
        assertEquals(2, lines.size(), lines::toString);
        for (var line : lines) assertTrue(line.contains(",\"request_id\":\"made\","), line);
    }

    @Test
    void a_field_of_ones_own_stands_in_its_place() throws IOException {
        var file = folder.resolve("access.log");
        LogFields own = _ -> Map.of("request_id", "own");
        try (var log = AccessLog.open(AccessLog.Format.JSON, Optional.of(file), own);
                var serving =
                        Serving.Kind.NIO_LOOP.serve(HttpSettings.standard().listener(log), IDS.around(SEEN));
                var peer = serving.connect()) {
            peer.get("/").read();
        }
        var line = Files.readString(file);
        assertTrue(line.contains("\"request_id\":\"own\"") && !line.contains("made"), line);
    }
}
