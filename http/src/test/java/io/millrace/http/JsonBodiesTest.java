package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.filter.Compression;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What a request and a response do with a codec, whichever that is. None is there in this module's tests but
/// the one that they name.
class JsonBodiesTest {
    private record Word(String text) {}

    /// Of one word, in brackets.
    private static final JsonCodec WORDS = new JsonCodec() {
        @Override
        public @Nullable Object read(Bytes text, Type type) {
            var word = text.utf8();
            if (word.equals("null")) return null;
            if (!word.startsWith("<")) throw new BadJson("this is no word", 1, 1, "/word");
            return new Word(word.substring(1));
        }

        @Override
        public Bytes write(Object value) {
            if (value instanceof Word(var text)) return Bytes.utf8("<" + text);
            throw new IllegalArgumentException("secret: no word");
        }
    };

    private static final HttpSettings SETTINGS =
            HttpSettings.standard().json(WORDS).errors(ErrorResponses.problems());

    private static final HttpHandler APP = Routes.of()
            .get("/", _ -> Response.json(new Word("hello")))
            .get("/made", _ -> Response.json(201, new Word("made")).setHeader("Location", "/1"))
            .get("/other", _ -> Response.json(3))
            .get("/later", _ -> Response.later(CompletableFuture.completedFuture(Response.json(new Word("late")))))
            .get("/long", Compression.gzip().around(_ -> Response.json(new Word("x".repeat(5000)))))
            .post("/", Http.whole(100, request -> Response.json(new Word(request.json(Word.class).text + "!"))))
            .post(
                    "/type",
                    Http.whole(
                            100,
                            request -> Response.ok(""
                                    + request.json(new JsonType<Word>() {}).text.length())))
            .post("/waits", request -> Response.json(request.json(Word.class)));

    private static String post(String path, String type, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + type + "Content-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    private static final String JSON = "Content-Type: application/json\r\n";

    @ParameterizedTest
    @EnumSource
    void a_value_is_read_and_written_by_the_codec_of_the_server(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(SETTINGS, APP);
                var peer = serving.connect()) {
            var reply = peer.get("/").read();
            assertEquals("<hello", reply.text());
            assertEquals("application/json", reply.header("content-type"));
            assertEquals("6", reply.header("content-length"));
            assertEquals("<late", peer.get("/later").read().text());
            assertEquals(201, peer.get("/made").read().status());
            assertEquals("<hey!", peer.send(post("/", JSON, "<hey")).read().text());
            assertEquals("3", peer.send(post("/type", JSON, "<hey")).read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_value_that_cannot_be_written_is_answered_with_500_and_nothing_of_it(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(SETTINGS, APP);
                var peer = serving.connect()) {
            var reply = peer.get("/other").read();
            assertEquals(500, reply.status());
            assertEquals("{\"title\":\"Internal Server Error\",\"status\":500}", reply.text());
            assertEquals("<hello", peer.get("/").read().text());
        }
    }

    @Test
    void a_body_arrives_as_a_value_however_the_network_cuts_it() {
        Simulation.forEachSeed(100, network -> {
            try (var _ = Http.listen(network.on(80), SETTINGS, APP)) {
                var peer = network.connect(80).send(post("/", JSON, "<word")).end();
                network.run();
                assertTrue(peer.received().endsWith("\r\n\r\n<word!"), peer::received);
            }
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json | 200",
                "application/json; charset=UTF-8 | 200",
                "APPLICATION/JSON | 200",
                "application/merge-patch+json | 200",
                "text/plain | 415",
                "text/json | 415",
                "application/jsonp | 415",
                "application/x-www-form-urlencoded | 415",
            })
    void a_body_has_to_say_that_it_is_JSON(String type, int status) {
        assertAnswer(status, "", post("/", "Content-Type: " + type + "\r\n", "<a"));
    }

    @Test
    void a_body_without_a_type_or_in_another_charset_is_refused() {
        assertAnswer(415, "", post("/", "", "<a"));
        assertAnswer(415, "", post("/", "Content-Type: application/json; charset=utf-16\r\n", "<a"));
        assertAnswer(415, "", post("/", "Content-Type: nonsense\r\n", "<a"));
        assertAnswer(400, "", post("/", JSON + JSON, "<a"));
    }

    @Test
    void a_body_that_does_not_fit_is_answered_with_400_and_its_place() {
        assertAnswer(
                400,
                "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"line 1, column 1, /word: this is no word\","
                        + "\"errors\":[{\"detail\":\"this is no word\",\"pointer\":\"#/word\"}]}",
                post("/", JSON, "a"));
        assertAnswer(
                400,
                "{\"title\":\"Bad Request\",\"status\":400,"
                        + "\"detail\":\"line 1, column 1: a value is expected, not null\"}",
                post("/", JSON, "null"));
    }

    @Test
    void a_body_that_is_too_long_is_refused_before_it_is_read() {
        assertAnswer(413, "", post("/", JSON, "<" + "x".repeat(100)));
    }

    @Test
    void a_body_that_is_to_come_is_no_value_on_the_loop() {
        assertAnswer(500, "", post("/waits", JSON, "<a"));
    }

    private static void assertAnswer(int status, String body, String request) {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), SETTINGS, APP)) {
            var peer = network.connect(80).send(request);
            network.run();
            assertTrue(peer.received().startsWith("HTTP/1.1 " + status + " "), peer::received);
            assertTrue(peer.received().endsWith(body), peer::received);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = ".*VIRTUAL")
    void a_body_that_a_thread_waits_for_holds_to_the_limit(Serving.Kind kind) throws IOException {
        var settings = SETTINGS.limits(HttpLimits.standard().bodyBytes(70_000));
        try (var serving = kind.serve(settings, APP)) {
            try (var peer = serving.connect()) {
                var body = "<" + "x".repeat(69_000);
                assertEquals(body, peer.send(post("/waits", JSON, body)).read().text());
            }
            try (var peer = serving.connect()) {
                assertEquals(
                        413,
                        peer.send(post("/waits", JSON, "<" + "x".repeat(71_000)))
                                .read()
                                .status());
            }
        }
    }

    @Test
    void a_value_is_packed_by_a_filter() {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), SETTINGS, APP)) {
            var peer = network.connect(80).send("GET /long HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
            network.run();
            assertTrue(peer.received().contains("Content-Encoding: gzip\r\n"), peer::received);
            assertTrue(peer.received().length() < 1000, peer::received);
        }
    }

    @Test
    void an_error_may_be_a_value() {
        ErrorResponses errors = (error, _, _) -> Response.json(error.status(), new Word("error"));
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), SETTINGS.errors(errors), APP)) {
            var peer = network.connect(80).send("GET /unknown HTTP/1.1\r\nHost: a\r\n\r\n");
            network.run();
            assertTrue(peer.received().startsWith("HTTP/1.1 404 "), peer::received);
            assertTrue(peer.received().endsWith("\r\n\r\n<error"), peer::received);
        }
    }

    // Without a codec, and what is no value.

    @Test
    void without_a_codec_everybody_hears_what_to_add() {
        var request = Request.post("/", Bytes.utf8("{}")).setHeader("Content-Type", "application/json");
        for (var use : List.<Executable>of(
                () -> request.json(Map.class),
                () -> Response.jsonText("{}").json(Map.class),
                () -> Response.json(new Word("a")).text(),
                () -> Request.json("POST", "/", new Word("a")))) {
            var refused = assertThrows(IllegalStateException.class, use);
            assertTrue(String.valueOf(refused.getMessage()).contains("millrace-http-jackson"), refused.getMessage());
            assertTrue(String.valueOf(refused.getMessage()).contains("HttpSettings.json"), refused.getMessage());
        }
    }

    @Test
    void of_several_codecs_none_is_taken() {
        var several = FoundJson.choice(List.of(WORDS, WORDS));
        var refused = assertThrows(IllegalStateException.class, () -> several.write("a"));
        assertTrue(String.valueOf(refused.getMessage()).contains("HttpSettings.json"), refused.getMessage());
        assertEquals(WORDS, FoundJson.choice(List.of(WORDS)));
    }

    @Test
    void a_text_is_refused_because_it_may_be_JSON_already() {
        for (Object text : List.of("{}", java.nio.CharBuffer.wrap("{}"))) {
            var refused = assertThrows(IllegalArgumentException.class, () -> Response.json(text));
            assertTrue(String.valueOf(refused.getMessage()).contains("jsonText"), refused.getMessage());
            assertThrows(IllegalArgumentException.class, () -> Response.json(422, text));
            assertThrows(IllegalArgumentException.class, () -> Request.json("POST", "/", text));
        }
        assertEquals("{}", Response.jsonText("{}").text());
    }

    @Test
    void a_type_is_no_value() {
        assertThrows(IllegalArgumentException.class, () -> Response.json((Object) Word.class));
        assertThrows(IllegalArgumentException.class, () -> Response.json((Object) new JsonType<Word>() {}));
    }

    @Test
    @SuppressWarnings("rawtypes")
    void a_type_token_without_a_type_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> new JsonType() {});
        assertEquals("java.util.List<java.lang.String>", new JsonType<List<String>>() {}.toString());
    }
}
