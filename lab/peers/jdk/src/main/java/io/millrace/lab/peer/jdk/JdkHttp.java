package io.millrace.lab.peer.jdk;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/// The JDK's own HTTP server: inline is its default, everything on the thread that waits for events; the pool is one of
/// the JDK's.
public final class JdkHttp {
    private static final byte[] HELLO = HttpPeer.hello();

    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, JdkHttp::start);
    }

    private static int start(PeerOptions options, boolean isClosing) throws IOException {
        Executor executor = options.isPooled() ? Executors.newFixedThreadPool(options.poolThreads()) : Runnable::run;
        return start(options, isClosing, executor);
    }

    /// Starts it with an executor that is given each request when its first bytes are there, and reads the rest.
    static int start(PeerOptions options, boolean isClosing, Executor executor) throws IOException {
        options.onlyOn("nio");
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // Otherwise it closes connections between two requests when 200 others wait for one.
        System.setProperty("sun.net.httpserver.maxIdleConnections", Integer.toString(Integer.MAX_VALUE));
        var server = HttpServer.create(options.address(), 1024);
        server.createContext(HttpPeer.PLAINTEXT, answering(JdkHttp::plaintext, isClosing));
        server.createContext(HttpPeer.ECHO, answering(JdkHttp::echo, isClosing));
        server.setExecutor(executor);
        server.start();
        return server.getAddress().getPort();
    }

    private static HttpHandler answering(HttpHandler handler, boolean isClosing) {
        return exchange -> {
            exchange.getResponseHeaders().set("Server", "JDK");
            if (isClosing) {
                exchange.getResponseHeaders().set("Connection", "close");
            }
            handler.handle(exchange);
        };
    }

    private static void plaintext(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        send(exchange, HELLO);
    }

    private static void echo(HttpExchange exchange) throws IOException {
        send(exchange, exchange.getRequestBody().readAllBytes());
    }

    private static void send(HttpExchange exchange, byte[] body) throws IOException {
        // For it 0 is a length that is not known, and -1 that there is nothing.
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
