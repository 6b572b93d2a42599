package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What the WebSocket of the JDK understands of the proxy's own close frames, over real sockets.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JdkSocketEndsTest {
    private static final int PATIENCE_SECONDS = 20;

    /// How it ends, in words.
    private static final class End implements WebSocket.Listener {
        final CompletableFuture<String> told = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            told.complete(code + " " + reason);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            told.complete("failed: " + error);
        }

        String get() throws Exception {
            return told.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static WebSocket open(HttpClient client, Proxying proxy, End end) {
        var uri = URI.create("ws://127.0.0.1:" + proxy.server().port() + "/");
        return client.newWebSocketBuilder()
                .subprotocols("chat")
                .buildAsync(uri, end)
                .join();
    }

    @ParameterizedTest
    @EnumSource
    void one_that_is_told_to_go_answers_and_the_backend_gets_the_answer(Proxying.Kind kind) throws Exception {
        var last = new LinkedBlockingQueue<Integer>();
        try (var backend = new RawBackend(visit -> {
                    visit.send(RawHandshake.agreeing(visit.head()));
                    // A close frame of a client: two bytes, a mask, a code.
                    var frame = visit.in.readNBytes(8);
                    if (frame.length < 8) throw new EOFException("of a close frame");
                    last.add(((frame[6] ^ frame[2]) & 0xff) << 8 | ((frame[7] ^ frame[3]) & 0xff));
                });
                var proxy = kind.to(backend.uri());
                var client = HttpClient.newHttpClient()) {
            var end = new End();
            var _ = open(client, proxy, end);
            assertTrue(proxy.server().drain(Duration.ofSeconds(PATIENCE_SECONDS)));
            assertEquals("1001 the server stops", end.get());
            assertEquals(1001, last.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_whose_backend_hangs_up_may_come_back(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> visit.send(RawHandshake.agreeing(visit.head())));
                var proxy = kind.to(backend.uri());
                var client = HttpClient.newHttpClient()) {
            var end = new End();
            var _ = open(client, proxy, end);
            assertEquals("1012 the backend has gone", end.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_that_is_idle_is_told(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.send(RawHandshake.agreeing(visit.head()));
                    visit.in.readAllBytes();
                });
                var proxy = kind.to(upstream -> upstream.webSocketIdleTimeout(Duration.ofSeconds(1)), backend.uri());
                var client = HttpClient.newHttpClient()) {
            var end = new End();
            var _ = open(client, proxy, end);
            assertEquals("1001 nothing has moved for 1 s", end.get());
        }
    }
}
