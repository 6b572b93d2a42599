package io.millrace.lab.peer.httpcheck;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A server for proxies to stand in front of. It remembers who connected.
///
/// ```
///   /length     600 bytes with a Content-Length          /chunked    as many in chunks
///   /large      a MiB                                    /echo       the body of the request
///   /fields     what a proxy passes on of Connection and of a field that it names
/// ```
final class Backend implements AutoCloseable {
    static final byte[] PAGE = bytes(600);
    static final byte[] LARGE = bytes(1 << 20);

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();
    private final HttpServer server;

    Backend() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(executor);
        server.createContext("/length", exchange -> answer(exchange, PAGE, PAGE.length));
        server.createContext("/chunked", exchange -> answer(exchange, PAGE, 0));
        server.createContext("/large", exchange -> answer(exchange, LARGE, LARGE.length));
        server.createContext("/echo", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            answer(exchange, body, body.length);
        });
        server.createContext("/fields", exchange -> {
            var headers = exchange.getRequestHeaders();
            byte[] body = (headers.getFirst("Connection") + " " + headers.getFirst("X-Private")).getBytes(US_ASCII);
            answer(exchange, body, body.length);
        });
        server.start();
    }

    private void answer(HttpExchange exchange, byte[] body, long length) throws IOException {
        clients.add(exchange.getRemoteAddress());
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        if (isHead) exchange.getResponseHeaders().set("Content-Length", Long.toString(length));
        exchange.sendResponseHeaders(200, isHead ? -1 : length);
        if (!isHead) exchange.getResponseBody().write(body);
        exchange.close();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /// How many connections had a request.
    int connections() {
        return clients.size();
    }

    static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
