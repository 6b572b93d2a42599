package io.millrace.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Executors;

/// A backend, in a process of its own that a test can stop, kill and suspend. It needs nothing but the JDK.
///
/// `GET /get/ID/SIZE` and `/chunked/ID/SIZE` answer with the content of that id; `PUT /put/ID/SIZE` says whether it
/// was sent that content.
final class DayBackend {
    /// What it says of a body that came as it was sent.
    static final String INTACT = "intact";

    private DayBackend() {}

    public static void main(String[] arguments) throws IOException {
        var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        var server = HttpServer.create(at, 1024);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", DayBackend::answer);
        server.start();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var words = exchange.getRequestURI().getPath().split("/", -1);
            var received = exchange.getRequestBody().readAllBytes();
            if (words.length < 4) {
                send(exchange, "well".getBytes(StandardCharsets.US_ASCII), false);
                return;
            }
            var content = content(words[2], Integer.parseInt(words[3]));
            if (words[1].equals("put")) {
                var verdict = Arrays.equals(received, content) ? INTACT : "torn at " + received.length;
                content = verdict.getBytes(StandardCharsets.US_ASCII);
            }
            send(exchange, content, words[1].equals("chunked"));
        }
    }

    private static void send(HttpExchange exchange, byte[] body, boolean isChunked) throws IOException {
        exchange.sendResponseHeaders(200, isChunked ? 0 : body.length);
        exchange.getResponseBody().write(body);
    }

    /// Lines with the id and their numbers, so that no part can be taken for another one.
    static byte[] content(String id, int size) {
        var text = new StringBuilder(size + id.length() + 12);
        for (int line = 0; text.length() < size; line++)
            text.append(id).append(' ').append(line).append('\n');
        text.setLength(size);
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
