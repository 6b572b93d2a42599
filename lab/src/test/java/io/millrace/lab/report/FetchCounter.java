package io.millrace.lab.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/// An HTTP proxy that has nothing to give and notes what it is asked for.
final class FetchCounter implements AutoCloseable {
    private static final String LAST = "no more";
    private static final String NOTHING = "a connection without a request";
    private static final String NOT_FOUND = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    private static final int REQUEST_WITHIN_MILLIS = 2_000;

    private final ServerSocket socket;
    private final Thread thread;
    /// Written by the thread, read after it ended.
    private final List<String> requests = new ArrayList<>();

    FetchCounter() throws IOException {
        socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        thread = Thread.ofPlatform().daemon().start(this::serve);
    }

    String url() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    /// The first line of each connection that was made before this call, which ends the proxy. Connections are
    /// accepted in the order they were made, so when the one made here is served, none before it is missing.
    List<String> end() throws IOException, InterruptedException {
        try (var last = new Socket(socket.getInetAddress(), socket.getLocalPort())) {
            last.getOutputStream().write((LAST + "\r\n").getBytes(ISO_8859_1));
            thread.join();
        }
        return List.copyOf(requests);
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (var connection = socket.accept()) {
                var request = firstLine(connection);
                if (request.equals(LAST)) {
                    return;
                }
                requests.add(request);
                connection.getOutputStream().write(NOT_FOUND.getBytes(ISO_8859_1));
            } catch (IOException gone) {
                // The client was faster, or this proxy was closed.
            }
        }
    }

    private static String firstLine(Socket connection) {
        try {
            connection.setSoTimeout(REQUEST_WITHIN_MILLIS);
            var line = new BufferedReader(new InputStreamReader(connection.getInputStream(), ISO_8859_1)).readLine();
            return line == null ? NOTHING : line;
        } catch (IOException silent) {
            return NOTHING;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
