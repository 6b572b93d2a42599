package io.millrace.proxy.service;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawBackend.Visit;
import java.io.IOException;
import java.time.Duration;

/// A backend of which the target asks what it does: `/download/BYTES`, `/late/SECONDS`, `/socket/`, `/unavailable/`.
/// Whatever has a body is read before it is answered.
final class SlowBackend implements AutoCloseable {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: ";

    private final RawBackend backend;

    SlowBackend() throws IOException {
        backend = new RawBackend(visit -> {
            while (answer(visit)) {}
        });
    }

    int port() {
        return backend.port();
    }

    private static boolean answer(Visit visit) throws IOException {
        var head = visit.head();
        if (head.isEmpty() || head.getFirst().isEmpty()) return false;
        long length = 0;
        for (var line : head) {
            if (line.startsWith("Content-Length: "))
                length = Long.parseLong(line.substring("Content-Length: ".length()));
        }
        visit.skip(length);
        var path = head.getFirst().split(" ", -1)[1].split("/", -1);
        switch (path[1]) {
            case "download", "cancelled" -> send(visit, Integer.parseInt(path[2]));
            case "late" -> {
                passes(Duration.ofSeconds(Integer.parseInt(path[2])));
                visit.send(OK + "0\r\n\r\n");
            }
            case "socket" -> {
                visit.send("""
                        HTTP/1.1 101 Switching Protocols
                        Connection: Upgrade
                        Upgrade: websocket
                        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=

                        """.replace("\n", "\r\n"));
                passes(Duration.ofMinutes(2));
                visit.send("\u0081\u0005hello");
            }
            case "unavailable" ->
                visit.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 12\r\n\r\nout of order");
            default -> visit.send(OK + "0\r\n\r\n");
        }
        return true;
    }

    private static void send(Visit visit, int length) throws IOException {
        visit.send(OK + length + "\r\n\r\n");
        var part = "x".repeat(100_000);
        for (int sent = 0; sent < length; sent += part.length()) visit.send(part);
    }

    private static void passes(Duration time) throws IOException {
        try {
            DefaultsByTheClockTest.passes(time);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        backend.close();
    }
}
