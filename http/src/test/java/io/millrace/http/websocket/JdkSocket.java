package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A WebSocket of the JDK's client, and what it has got.
final class JdkSocket implements WebSocket.Listener, AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final HttpClient client;
    private final LinkedBlockingQueue<Object> got = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();
    private final CompletableFuture<String> end = new CompletableFuture<>();
    final WebSocket socket;

    private JdkSocket(HttpClient client, String url, String... subprotocols) {
        this.client = client;
        var builder = client.newWebSocketBuilder();
        if (subprotocols.length > 0) {
            var others = java.util.Arrays.copyOfRange(subprotocols, 1, subprotocols.length);
            builder.subprotocols(subprotocols[0], others);
        }
        this.socket = builder.buildAsync(URI.create(url.replace("http://", "ws://")), this)
                .join();
    }

    static JdkSocket open(String url, String... subprotocols) {
        return new JdkSocket(HttpClient.newHttpClient(), url, subprotocols);
    }

    JdkSocket send(String message) {
        socket.sendText(message, true).join();
        return this;
    }

    JdkSocket send(byte[] message) {
        socket.sendBinary(ByteBuffer.wrap(message), true).join();
        return this;
    }

    /// The next message: a text, or an array.
    Object next() throws InterruptedException {
        var next = got.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "nothing comes");
        return next;
    }

    void assertGets(String expected) throws InterruptedException {
        assertEquals(expected, next());
    }

    /// How it ended: `1000 bye`.
    String end() throws Exception {
        return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
        text.append(part);
        if (isLast) {
            got.add(text.toString());
            text.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer part, boolean isLast) {
        var bytes = new byte[part.remaining()];
        part.get(bytes);
        got.add(bytes);
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer payload) {
        got.add("pong " + payload.remaining());
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        end.complete((code + " " + reason).strip());
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        end.complete(error.toString());
    }

    @Override
    public void close() {
        socket.abort();
        client.close();
    }
}
