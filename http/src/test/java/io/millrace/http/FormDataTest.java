package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.FormData;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Forms that a client makes, read by the parser of our servers.
class FormDataTest {
    private static final String URI = "http://example.org/form";

    @TempDir
    private Path folder;

    private static List<Part> parsed(FormData form) throws IOException {
        return Multipart.of(form.post(URI)).parts();
    }

    @Test
    void fields_and_files_come_in_their_order() throws IOException {
        var parts = parsed(FormData.of()
                .field("title", "Cats & dögs")
                .file("photo", "cat.png", "image/png", Bytes.of(new byte[] {0, 13, 10, 45, 45}))
                .field("title", ""));
        assertEquals(
                List.of("title", "photo", "title"),
                parts.stream().map(Part::name).toList());
        assertEquals("Cats & dögs", parts.get(0).content().utf8());
        assertEquals("cat.png", parts.get(1).head().fileName().orElseThrow());
        assertEquals("image/png", parts.get(1).head().mediaType().orElseThrow());
        assertEquals(Bytes.of(new byte[] {0, 13, 10, 45, 45}), parts.get(1).content());
        assertEquals("", parts.get(2).content().utf8());
        assertTrue(parts.get(2).head().fileName().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a b", "ä€😀", "a;b=c", "semi;colon", "a'b", "back\\slash.txt", "%41", "a,b"})
    void names_come_back_as_they_were(String name) throws IOException {
        var part = parsed(FormData.of().file(name, name, "text/plain", Bytes.utf8("x")))
                .getFirst();
        assertEquals(name, part.name());
        assertEquals(name, part.head().fileName().orElseThrow());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a\"b | a%22b", "'a\rb' | a%0Db", "'a\nb' | a%0Ab"})
    void what_would_end_a_name_is_escaped_as_browsers_do(String name, String sent) throws IOException {
        assertEquals(sent, parsed(FormData.of().field(name, "x")).getFirst().name());
    }

    @Test
    void a_value_cannot_add_a_field_or_a_part() throws IOException {
        var evil = "x\"\r\nContent-Type: text/html\r\n\r\n<script>\r\n--millrace";
        var parts = parsed(FormData.of().field(evil, evil).file("f", evil, "text/plain", Bytes.utf8(evil)));
        assertEquals(2, parts.size());
        assertEquals(evil, parts.get(0).content().utf8());
        assertTrue(parts.get(0).head().mediaType().isEmpty());
        assertEquals("text/plain", parts.get(1).head().mediaType().orElseThrow());
    }

    @Test
    void what_may_not_be_sent_is_refused() {
        var form = FormData.of();
        assertThrows(IllegalArgumentException.class, () -> form.field("a\0b", "x"));
        assertThrows(IllegalArgumentException.class, () -> form.field("a\\", "x"));
        assertThrows(IllegalArgumentException.class, () -> form.file("a", "b", "text/plain\r\nX: y", Bytes.EMPTY));
        assertThrows(
                IOException.class, () -> form.file("a", folder.resolve("none")).post(URI));
    }

    @Test
    void each_request_has_a_boundary_of_its_own() throws IOException {
        var form = FormData.of().field("a", "b");
        assertNotEquals(form.post(URI).header("Content-Type"), form.post(URI).header("Content-Type"));
    }

    @Test
    void random_forms_come_back() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var form = FormData.of();
            int count = 1 + random.nextInt(20);
            var contents = new Bytes[count];
            for (int i = 0; i < count; i++) {
                var content = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(2000)];
                random.nextBytes(content);
                contents[i] = Bytes.of(content);
                form = form.file("n" + i, "f" + i, "application/octet-stream", contents[i]);
            }
            var parts = parsed(form);
            assertEquals(count, parts.size());
            for (int i = 0; i < count; i++)
                assertEquals(contents[i], parts.get(i).content(), "seed " + seed);
        }
    }

    @ParameterizedTest
    @EnumSource
    void files_are_sent_with_their_length_on_every_transport(Serving.Kind kind) throws IOException {
        var large = new byte[300_000];
        new Random(1).nextBytes(large);
        var photo = Files.write(folder.resolve("photo.png"), large);
        var empty = Files.createFile(folder.resolve("empty.txt"));
        try (var serving = kind.serveWhole(request -> {
                    var form = Multipart.of(request);
                    var first = form.first("photo").orElseThrow();
                    return Response.ok(request.header("Content-Length").isPresent() + " "
                            + first.content().equals(Bytes.of(large)) + " "
                            + first.head().mediaType().orElseThrow() + " "
                            + form.first("empty").orElseThrow().content().length() + " "
                            + form.first("note").orElseThrow().content().utf8());
                });
                var client = HttpClient.on(serving.loops())) {
            var form = FormData.of().file("empty", empty).file("photo", photo).field("note", "hello");
            assertEquals(
                    "true true image/png 0 hello",
                    client.send(form.post(serving.url("/"))).text());
        }
    }
}
