package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A server behind a proxy: it answers with its name, the requested path, and the client's address. It can become
/// unhealthy.
final class Backend implements AutoCloseable {
    private final HttpServer server;
    private final String name;
    private volatile boolean isWell = true;

    Backend(String name) throws IOException {
        this.name = name;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/", this::answer);
        server.start();
    }

    String uri() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void feel(boolean well) {
        isWell = well;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().toString();
            int status = isWell || !path.equals("/health") ? 200 : 503;
            var forwarded = exchange.getRequestHeaders().getFirst("X-Forwarded-For");
            var said = (name + " " + path + " for " + forwarded).getBytes(UTF_8);
            exchange.sendResponseHeaders(status, said.length);
            exchange.getResponseBody().write(said);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
