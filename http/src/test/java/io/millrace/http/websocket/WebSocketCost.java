package io.millrace.http.websocket;

import com.sun.management.ThreadMXBean;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.TransportKind;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.net.Loop;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// Measures for [WebSocketAllocationTest], in a process of its own: prints the bytes that a server allocates for a
/// message that it receives and sends back.
final class WebSocketCost {
    private static final int SOCKETS = 50;
    private static final int WARM_UP = 400_000;
    private static final int MESSAGES = 200_000;
    private static final String MESSAGE = "a text of thirty-two characters!";

    private final AtomicLong left = new AtomicLong();
    private final List<WebSocket> sockets = new ArrayList<>();
    private volatile CountDownLatch over = new CountDownLatch(0);

    /// The arguments are the names of a [TransportKind], and a [HttpVersion].
    public static void main(String[] arguments) throws Exception {
        var kind = TransportKind.valueOf(arguments[0]);
        var version = HttpVersion.valueOf(arguments[1]);
        try (var serving = EventLoops.configure().threads(1).transport(kind).start();
                var asking = EventLoops.configure().threads(1).transport(kind).start();
                var server = Http.listen(
                        Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .loops(serving),
                        request -> WebSocket.accept(request, socket -> socket::send));
                var client =
                        HttpClient.of(ClientSettings.standard().loops(asking).version(version))) {
            var cost = new WebSocketCost();
            cost.open(client, "http://127.0.0.1:" + server.port() + "/");
            cost.exchange(WARM_UP);
            long before = allocated(serving.next());
            cost.exchange(MESSAGES);
            System.out.println((allocated(serving.next()) - before) / (double) MESSAGES);
        }
    }

    private void open(HttpClient client, String url) throws Exception {
        for (int i = 0; i < SOCKETS; i++) {
            sockets.add(WebSocket.connect(client, Request.get(url), socket -> _ -> goOn(socket))
                    .get());
        }
    }

    private void goOn(WebSocket socket) {
        if (left.decrementAndGet() > 0) socket.send(MESSAGE);
        else over.countDown();
    }

    private void exchange(int messages) throws InterruptedException {
        over = new CountDownLatch(SOCKETS);
        left.set(messages);
        for (var socket : sockets) socket.send(MESSAGE);
        over.await();
    }

    private static long allocated(Loop loop) throws Exception {
        var bytes = new CompletableFuture<Long>();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        loop.execute(() -> bytes.complete(threads.getCurrentThreadAllocatedBytes()));
        return bytes.get();
    }
}
