package io.millrace.proxy;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// A server of ours whose WebSockets send messages back, and close when they are told to: `close 4001 enough`. At `/`
/// it has a page.
///
/// @param ends how sockets ended, as `1000:bye`
/// @param protocols what sockets were opened over, as `HTTP/2.0`
record SocketServer(EventLoops loops, Server server, BlockingQueue<String> ends, Set<String> protocols)
        implements AutoCloseable {
    private record Echo(WebSocket socket, BlockingQueue<String> ends) implements WebSocketHandler {
        private static final Pattern CLOSE = Pattern.compile("close (\\d{4}) (\\w+)");

        @Override
        public void onText(String text) {
            var close = CLOSE.matcher(text);
            if (close.matches()) socket.close(Integer.parseInt(close.group(1)), close.group(2));
            else socket.send(text);
        }

        @Override
        public void onBinary(WebSocket from, Bytes bytes) {
            socket.send(bytes);
        }

        @Override
        public void onClose(int code, String reason) {
            ends.add(code + ":" + reason);
        }
    }

    static SocketServer start(WebSocketSettings settings) {
        return start(settings, "", listen -> listen);
    }

    /// @param choice what else is said of the address
    static SocketServer start(WebSocketSettings settings, String page, UnaryOperator<Listen> choice) {
        var loops =
                EventLoops.configure().transport(TransportKind.EPOLL).threads(2).start();
        var ends = new LinkedBlockingQueue<String>();
        Set<String> protocols = ConcurrentHashMap.newKeySet();
        RequestListener told = one -> {
            if (one.status() == 101) protocols.add(one.protocol());
        };
        HttpHandler app = request -> isForSocket(request)
                ? WebSocket.accept(request, settings, socket -> new Echo(socket, ends))
                : Response.html(page);
        var listen = choice.apply(Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops));
        var server = AnyDispatch.serve(listen, Dispatch.loop(), HttpLimits.standard(), told, app);
        return new SocketServer(loops, server, ends, protocols);
    }

    private static boolean isForSocket(Request request) {
        return !request.path().equals("/");
    }

    int port() {
        return server.port();
    }

    String uri() {
        return "http://127.0.0.1:" + port();
    }

    /// How the next socket ended.
    String ended() throws InterruptedException {
        var next = ends.poll(20, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("no socket ends");
        return next;
    }

    @Override
    public void close() {
        server.drain(Duration.ofSeconds(5));
        server.close();
        loops.close();
    }
}
