package io.millrace.lab.peer.undertow;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.millrace.lab.peer.PeerOptions;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.xnio.Options;

/// Undertow: inline is its I/O thread, the pool its worker threads, to which a `BlockingHandler` dispatches.
public final class UndertowHttp {
    private static final ByteBuffer HELLO = ByteBuffer.wrap(HttpPeer.hello()).asReadOnlyBuffer();

    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runTls(arguments, (options, isClosing, identity) -> start(options, isClosing, false, identity));
    }

    static int start(PeerOptions options, boolean isClosing, boolean isHttp2, Optional<Identity> identity)
            throws Exception {
        options.onlyOn("nio");
        HttpHandler routes = Handlers.path()
                .addExactPath(HttpPeer.PLAINTEXT, UndertowHttp::plaintext)
                .addExactPath(HttpPeer.ECHO, UndertowHttp::echo);
        HttpHandler named = Handlers.header(routes, "Server", "Undertow");
        HttpHandler handler = isClosing ? closing(named) : named;
        var builder = Undertow.builder();
        if (identity.isEmpty()) builder.addHttpListener(options.port(), options.hostText());
        else builder.addHttpsListener(options.port(), options.hostText(), identity.get().context());
        var server = builder
                .setServerOption(UndertowOptions.ENABLE_HTTP2, isHttp2)
                .setSocketOption(Options.BACKLOG, 1024)
                .setIoThreads(options.loops())
                .setWorkerThreads(Math.max(1, options.poolThreads()))
                .setHandler(options.isPooled() ? new BlockingHandler(handler) : handler)
                .build();
        server.start();
        return ((InetSocketAddress) server.getListenerInfo().getFirst().getAddress()).getPort();
    }

    private static HttpHandler closing(HttpHandler next) {
        return exchange -> {
            exchange.setPersistent(false);
            next.handleRequest(exchange);
        };
    }

    private static void plaintext(HttpServerExchange exchange) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
        exchange.getResponseSender().send(HELLO.duplicate());
    }

    private static void echo(HttpServerExchange exchange) {
        exchange.getRequestReceiver()
                .receiveFullBytes(
                        (received, body) -> received.getResponseSender().send(ByteBuffer.wrap(body)));
    }
}
