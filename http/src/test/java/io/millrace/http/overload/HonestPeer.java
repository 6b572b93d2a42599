package io.millrace.http.overload;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocketFactory;

/// Asks for a page, each time on a fresh connection, and notes how long that takes.
final class HonestPeer {
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final long PAUSE_NANOS = 20_000_000;

    private final InetSocketAddress server;
    private final Optional<SSLSocketFactory> tls;
    private final int patienceMillis;
    private long worstNanos;
    private int count;

    HonestPeer(InetSocketAddress server, Duration patience) {
        this(server, Optional.empty(), patience);
    }

    /// @param tls what it speaks in, if it does
    HonestPeer(InetSocketAddress server, Optional<SSLSocketFactory> tls, Duration patience) {
        this.server = server;
        this.tls = tls;
        this.patienceMillis = Math.toIntExact(patience.toMillis());
    }

    /// Asks once.
    ///
    /// @throws IOException when there is no answer in time, or another one
    void ask() throws IOException {
        long startNanos = System.nanoTime();
        try (var plain = new Socket()) {
            plain.setSoTimeout(patienceMillis);
            plain.connect(server, patienceMillis);
            var socket = tls.isEmpty() ? plain : tls.get().createSocket(plain, "localhost", server.getPort(), true);
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

    /// The same, which has asked for nothing yet.
    HonestPeer again() {
        return new HonestPeer(server, tls, Duration.ofMillis(patienceMillis));
    }

    Duration worst() {
        return Duration.ofNanos(worstNanos);
    }

    int count() {
        return count;
    }
}
