package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.net.Refused;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// A function in the place of a client.
class HttpSenderTest {
    private static final Request REQUEST = Request.get("http://example.org/");

    private final HttpSender server = request -> Response.ok(request.path()).setHeader("X-Mine", "yes");
    private final HttpSender broken = _ -> {
        throw new Refused("nobody there");
    };

    /// Notes what it hears.
    private static class Noting implements ResponseReader<String> {
        final List<String> heard = new ArrayList<>();

        @Override
        public void onHead(Response head) {
            heard.add("head " + head.status() + " " + head.header("X-Mine").orElse("") + head.text());
        }

        @Override
        public void onBody(Input part) throws Exception {
            heard.add("body " + part.readUtf8(part.remaining()));
        }

        @Override
        public String onEnd() {
            heard.add("end");
            return "read";
        }

        @Override
        public void onAbort() {
            heard.add("abort");
        }
    }

    @Test
    void all_ways_to_send_have_what_the_function_answers() throws IOException {
        assertEquals("/", server.send(REQUEST).text());
        assertEquals("/", server.sendAsync(REQUEST).join().text());
        assertEquals(
                "200yes/",
                server.send(
                        REQUEST,
                        (head, body) -> head.status()
                                + head.header("X-Mine").orElse("")
                                + new String(body.readAllBytes(), StandardCharsets.UTF_8)));
        var reader = new Noting();
        assertEquals("read", server.sendAsync(REQUEST, reader).join());
        assertEquals(List.of("head 200 yes", "body /", "end"), reader.heard);
    }

    @Test
    void a_response_without_a_body_has_no_body_to_read() {
        HttpSender empty = _ -> Response.of(204, "text/plain", Bytes.EMPTY);
        var reader = new Noting();
        assertEquals("read", empty.sendAsync(REQUEST, reader).join());
        assertEquals(List.of("head 204 ", "end"), reader.heard);
    }

    @Test
    void what_the_function_throws_is_the_callers_and_a_readers_end() {
        assertThrows(Refused.class, () -> broken.send(REQUEST));
        assertThrows(Refused.class, () -> broken.send(REQUEST, (_, _) -> "never"));
        var failed = broken.sendAsync(REQUEST);
        assertTrue(assertThrows(CompletionException.class, failed::join).getCause() instanceof Refused);
        var reader = new Noting();
        var read = broken.sendAsync(REQUEST, reader);
        assertTrue(assertThrows(CompletionException.class, read::join).getCause() instanceof Refused);
        assertEquals(List.of("abort"), reader.heard);
    }

    @Test
    void a_reader_that_throws_hears_of_the_end() {
        var reader = new Noting() {
            @Override
            public void onBody(Input part) throws IOException {
                throw new IOException("mine");
            }
        };
        var read = server.sendAsync(REQUEST, reader);
        Asking.assertSays("mine", assertThrows(CompletionException.class, read::join));
        assertEquals(List.of("head 200 yes", "abort"), reader.heard);
    }
}
