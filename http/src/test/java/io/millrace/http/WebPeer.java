package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// A client that is none of ours: a plain socket, and as much of HTTP as it takes to read a response.
public final class WebPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;
    private final Replies replies;

    /// A response.
    ///
    /// @param headers by their names in small letters
    @SuppressWarnings("ArrayRecordComponent") // it is looked at and forgotten
    public record Reply(int status, Map<String, String> headers, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        public String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    private WebPeer(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.replies = new Replies(in);
    }

    public static WebPeer of(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        // A test that waits for ever should rather fail.
        socket.setSoTimeout(PATIENCE_MILLIS);
        return new WebPeer(socket);
    }

    public Socket socket() {
        return socket;
    }

    public WebPeer send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public WebPeer send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /// Sends on a thread of its own, for what is more than the other side takes before it answers.
    public CompletableFuture<Void> sendMeanwhile(byte[] bytes) {
        return CompletableFuture.runAsync(() -> {
            try {
                send(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    public WebPeer get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /// Half-close.
    public WebPeer end() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    public Reply read() throws IOException {
        return read(true);
    }

    /// The next response, interim ones included.
    ///
    /// @param hasBody false for the response to HEAD
    public Reply read(boolean hasBody) throws IOException {
        return replies.read(hasBody);
    }

    public String line() throws IOException {
        return replies.line();
    }

    public byte[] bytes(int count) throws IOException {
        return in.readNBytes(count);
    }

    public void assertEnd() throws IOException {
        assertEquals(-1, in.read());
    }

    public byte[] readAll() throws IOException {
        return in.readAllBytes();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
