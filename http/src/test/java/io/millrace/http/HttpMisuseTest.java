package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Handlers whose bodies are read and written by threads of their own making, which have none: they get an exception,
/// and the response is what the handler makes of it.
@Tag("shipping")
class HttpMisuseTest {
    private static final int TIMES = 200;
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CHUNKED =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

    private static final List<Consumer<Input>> READS = List.of(
            in -> in.readByte(),
            in -> in.readBytes(in.remaining()),
            in -> in.readUtf8(1),
            in -> in.skip(1),
            in -> in.peekByte(0));

    private static final List<Consumer<Output>> WRITES = List.of(
            out -> out.writeByte(1),
            out -> out.writeUtf8("foreign"),
            out -> out.write(new byte[100_000], 0, 100_000),
            out -> out.move(Request.get("http://a/").body()));

    @ParameterizedTest
    @EnumSource
    void a_writer_has_its_output_on_its_own_thread(Serving.Kind kind) throws IOException {
        BodyWriter writer = out -> {
            out.writeUtf8(elsewhere(WRITES, out));
            return false;
        };
        try (var serving = kind.serve(_ -> Response.stream(200, writer));
                var peer = serving.connect()) {
            assertEquals("", peer.get("/").read().text());
            assertEquals("", peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_has_the_body_on_its_own_thread(Serving.Kind kind) throws IOException {
        HttpHandler handler = request -> {
            var foreign = elsewhere(READS, request.body());
            return Response.ok(foreign + request.body().readUtf8(request.body().remaining()));
        };
        try (var serving = kind.serveWhole(handler);
                var peer = serving.connect()) {
            assertEquals("hello", peer.send(POST).read().text());
            assertEquals("hello", peer.send(CHUNKED).read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_duplex_has_both_on_its_own_thread(Serving.Kind kind) throws IOException {
        BodyDuplex duplex = (part, out) -> {
            out.writeUtf8(elsewhere(READS, part) + elsewhere(WRITES, out));
            out.move(part);
        };
        try (var serving = kind.serve(_ -> Response.duplex(200, duplex));
                var peer = serving.connect()) {
            assertEquals("hello", peer.send(POST).read().text());
            assertEquals("hello", peer.send(CHUNKED).read().text());
        }
    }

    /// What a thread could do with something that it does not have.
    private static <T> String elsewhere(List<Consumer<T>> uses, T what) {
        var succeeded = CompletableFuture.supplyAsync(() -> {
            int count = 0;
            for (int i = 0; i < TIMES; i++) {
                for (var use : uses) count += isRefused(use, what) ? 0 : 1;
            }
            return count;
        });
        return succeeded.join() == 0 ? "" : "succeeded: " + succeeded.join();
    }

    private static <T> boolean isRefused(Consumer<T> use, T what) {
        try {
            use.accept(what);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
