package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.http.HttpHandler;
import io.millrace.http.server.Http;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A server of WebSockets that echoes, for [IdleSocketsTest], in a process of its own. It writes its port, and
/// then a line for each line it reads.
final class IdleSocketsServer {
    private static final HttpHandler CALLBACK = request -> WebSocket.accept(request, socket -> socket::send);

    private static final HttpHandler DIRECT = request -> WebSocket.serve(request, socket -> {
        for (String text; (text = socket.receive()) != null; ) socket.send(text);
    });

    private IdleSocketsServer() {}

    /// The arguments are the name of a [TransportKind], and `callback` or `direct`.
    public static void main(String[] arguments) throws IOException {
        var kind = TransportKind.valueOf(arguments[0]);
        try (var loops = EventLoops.configure().threads(1).transport(kind).start();
                var server = start(loops, arguments[1].equals("direct"));
                var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            System.out.println(server.port());
            for (String line; (line = in.readLine()) != null; ) System.out.println(answer(line, server));
        }
    }

    private static Server start(EventLoops loops, boolean isDirect) {
        var here = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
        return isDirect ? Http.serve(here, DIRECT) : Http.listen(here, CALLBACK);
    }

    private static long answer(String question, Server server) {
        return switch (question) {
            case "connections" -> server.connections();
            case "heap" -> heapBytes();
            default -> throw new IllegalArgumentException("nobody knows what '" + question + "' means");
        };
    }

    private static long heapBytes() {
        // The first collection lets cleaners run, whose garbage the second one takes.
        System.gc();
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
