package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.filter.Compression;
import io.millrace.http.server.StaticFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What who tests a handler sees of its response, whatever kind that is of.
class UnservedTest {
    private static BodyWriter counting(int lines) {
        return new BodyWriter() {
            private int written;
            private int closed;

            @Override
            public boolean write(Output out) {
                assertEquals(0, closed);
                out.writeUtf8(written + "\n");
                return ++written < lines;
            }

            @Override
            public void onClose() {
                closed++;
            }
        };
    }

    @Test
    void a_stream_is_written_once() {
        var response = Response.stream(200, counting(3));
        assertEquals("0\n1\n2\n", response.text());
        assertSame(response.body(), response.body());
    }

    @Test
    void a_stream_that_is_compressed_is_so() throws Exception {
        HttpHandler app = _ -> Response.stream(200, counting(3)).type("text/plain");
        var request = Request.get("/").addHeader("Accept-Encoding", "gzip");
        var packed = Compression.gzip().around(app).handle(request);
        assertEquals("gzip", packed.header("Content-Encoding").orElseThrow());
        try (var plain =
                new GZIPInputStream(new ByteArrayInputStream(packed.body().toArray()))) {
            assertEquals("0\n1\n2\n", new String(plain.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
        }
    }

    @Test
    void a_writer_that_throws_is_the_reason_that_is_told() {
        var thrown = new IOException("disk");
        var response = Response.stream(200, _ -> {
            throw thrown;
        });
        assertSame(
                thrown,
                assertThrows(IllegalStateException.class, response::body).getCause());
    }

    @Test
    void one_that_comes_later_is_waited_for() {
        var stage = new CompletableFuture<Response>();
        var response = Response.later(stage).map(found -> found.setHeader("X", "y"));
        Thread.startVirtualThread(() -> stage.complete(Response.ok("here")));
        assertEquals("here", response.text());
    }

    @Test
    void a_stage_that_fails_is_the_reason_that_is_told() {
        var thrown = new IOException("gone");
        var response = Response.later(CompletableFuture.failedFuture(thrown));
        assertSame(
                thrown,
                assertThrows(IllegalStateException.class, response::body).getCause());
    }

    @Test
    void a_file_has_its_bytes(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("a.txt"), "of a file");
        assertEquals("of a file", Response.file(folder.resolve("a.txt")).text());
        assertEquals("Not Found\n", Response.file(folder.resolve("b.txt")).text());
        assertEquals(
                "of a file",
                StaticFiles.of(folder).handle(Request.get("/a.txt")).text());
    }

    @Test
    void events_are_those_sent_until_the_stream_was_opened() {
        var opened = new AtomicReference<EventStream>();
        var closed = new AtomicReference<Boolean>();
        var response = Response.events(stream -> {
            opened.set(stream);
            stream.onClose(() -> closed.set(true));
            assertTrue(stream.send("one"));
            stream.send("named", "two\nlines");
        });
        assertEquals("data: one\n\nevent: named\ndata: two\ndata: lines\n\n", response.text());
        assertFalse(opened.get().send("late"));
        assertTrue(closed.get());
    }

    @Test
    void one_that_is_made_of_its_requests_body_says_so() {
        var response = Response.duplex(200, (Input part, Output out) -> out.move(part));
        var thrown = assertThrows(IllegalStateException.class, response::body);
        assertTrue(String.valueOf(thrown.getMessage()).contains("its request's body"), thrown::getMessage);
    }
}
