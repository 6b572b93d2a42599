package io.millrace.http.overload;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// Asks for a page, each time on a fresh connection, and notes how long that takes.
final class HonestPeer {
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final long PAUSE_NANOS = 20_000_000;

    private final InetSocketAddress server;
    private final int patienceMillis;
    private long worstNanos;
    private int count;

    HonestPeer(InetSocketAddress server, Duration patience) {
        this.server = server;
        this.patienceMillis = Math.toIntExact(patience.toMillis());
    }

    /// Asks once.
    ///
    /// @throws IOException when there is no answer in time, or another one
    void ask() throws IOException {
        long startNanos = System.nanoTime();
        try (var socket = new Socket()) {
            socket.setSoTimeout(patienceMillis);
            socket.connect(server, patienceMillis);
            socket.getOutputStream().write(REQUEST);
            var reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (!reply.startsWith("HTTP/1.1 200 ")) throw new IOException("answered with '" + reply + "'");
        } catch (IOException e) {
            throw new IOException(
                    "after " + (System.nanoTime() - startNanos) / 1_000_000 + " ms and " + count + " requests", e);
        }
        worstNanos = Math.max(worstNanos, System.nanoTime() - startNanos);
        count++;
    }

    /// Asks again and again.
    void askFor(Duration time) throws IOException {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < time.toNanos()) {
            ask();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    Duration worst() {
        return Duration.ofNanos(worstNanos);
    }

    int count() {
        return count;
    }
}
