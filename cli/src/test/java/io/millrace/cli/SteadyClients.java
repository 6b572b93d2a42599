package io.millrace.cli;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.testing.Waiting;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// Clients of HTTP that ask again and again on connections that are kept, and try nothing twice: the first request
/// that fails is told.
final class SteadyClients implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final int port;
    private final AtomicInteger answers = new AtomicInteger();
    private final List<CompletableFuture<Void>> clients;
    private volatile boolean isOver;

    private SteadyClients(int port, int count, boolean isHttp2) {
        this.port = port;
        this.clients = Stream.generate(() -> CompletableFuture.runAsync(
                        () -> ask(isHttp2), task -> Thread.ofVirtual().start(task)))
                .limit(count)
                .toList();
    }

    static SteadyClients of(int port, int count) {
        return new SteadyClients(port, count, false);
    }

    /// The same over HTTP/2, where a server that goes away says which requests it has not processed: those alone are
    /// sent again.
    static SteadyClients ofHttp2(int port, int count) {
        return new SteadyClients(port, count, true);
    }

    private void ask(boolean isHttp2) {
        try {
            while (!isOver) {
                if (isHttp2) askOverHttp2();
                else askOnOneConnection();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("after " + answers + " answers", e);
        }
    }

    private void askOnOneConnection() throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            var in = new BufferedInputStream(socket.getInputStream());
            boolean isKept = true;
            while (isKept && !isOver) {
                socket.getOutputStream().write(REQUEST);
                isKept = readAnswer(in);
                answers.incrementAndGet();
            }
        }
    }

    /// With POST, which is not sent again for any other reason.
    private void askOverHttp2() throws IOException {
        try (var client = HttpClient.of(ClientSettings.standard().version(HttpVersion.HTTP_2))) {
            var request = Request.post("http://127.0.0.1:" + port + "/", Bytes.utf8("x"));
            while (!isOver) {
                int status = client.send(request).status();
                if (status != 200) throw new IOException("answered with " + status);
                answers.incrementAndGet();
            }
        }
    }

    /// @return whether the connection is kept
    private static boolean readAnswer(InputStream in) throws IOException {
        var status = line(in);
        if (!status.equals("HTTP/1.1 200 OK")) throw new IOException("answered with '" + status + "'");
        boolean isKept = true;
        int length = 0;
        for (var field = line(in); !field.isEmpty(); field = line(in)) {
            var small = field.toLowerCase(java.util.Locale.ROOT);
            if (small.startsWith("content-length: ")) length = Integer.parseInt(small.substring(16));
            if (small.equals("connection: close")) isKept = false;
        }
        if (in.readNBytes(length).length < length) throw new EOFException("in the middle of a body");
        return isKept;
    }

    private static String line(InputStream in) throws IOException {
        var text = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) throw new EOFException("instead of an answer, behind '" + text + "'");
            if (c != '\r') text.append((char) c);
        }
        return text.toString();
    }

    /// Waits for so many more answers.
    void await(int more) {
        int until = answers.get() + more;
        while (answers.get() < until) {
            for (var client : clients) if (client.isCompletedExceptionally()) client.join();
            Waiting.briefly();
        }
    }

    /// Fails when a request has.
    @Override
    public void close() {
        isOver = true;
        for (var client : clients) client.join();
    }
}
