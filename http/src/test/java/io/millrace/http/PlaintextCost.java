package io.millrace.http;

import com.sun.management.ThreadMXBean;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Tcp;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.server.Http;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Loop;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Measures for [HttpAllocationTest], in a process of its own: prints the bytes that a server allocates for a
/// request.
final class PlaintextCost {
    private static final int CONNECTIONS = 50;
    private static final int WARM_UP = 300_000;
    private static final int REQUESTS = 200_000;
    private static final Bytes REQUEST =
            Bytes.utf8("GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: cost\r\nAccept: */*\r\n\r\n");
    private static final Response HELLO = Response.ok("Hello, World!").addHeader("Server", "millrace");

    private PlaintextCost() {}

    /// The argument is the name of a [TransportKind].
    public static void main(String[] arguments) throws Exception {
        var kind = TransportKind.valueOf(arguments[0]);
        try (var serving = EventLoops.configure().threads(1).transport(kind).start();
                var asking = EventLoops.configure().threads(1).transport(kind).start();
                var server = Http.listen(
                        Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .loops(serving),
                        Routes.of().get("/plaintext", _ -> HELLO))) {
            ask(server.address(), asking, WARM_UP);
            long before = allocated(serving.next());
            ask(server.address(), asking, REQUESTS);
            System.out.println((allocated(serving.next()) - before) / (double) REQUESTS);
        }
    }

    private static void ask(SocketAddress server, EventLoops loops, int requests) throws InterruptedException {
        var left = new AtomicLong(requests);
        var over = new CountDownLatch(CONNECTIONS);
        for (int i = 0; i < CONNECTIONS; i++) {
            var _ = Tcp.connect(server, loops, conn -> new Asker(conn, left, over));
        }
        over.await();
    }

    /// Whatever arrives at once is one response.
    private record Asker(Connection connection, AtomicLong left, CountDownLatch over) implements Handler {
        private Asker {
            connection.output().write(REQUEST);
        }

        @Override
        public void onInput(Input in) {
            in.skip(in.remaining());
            if (left.decrementAndGet() > 0) connection.output().write(REQUEST);
            else connection.close();
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            over.countDown();
        }
    }

    private static long allocated(Loop loop) throws Exception {
        var bytes = new CompletableFuture<Long>();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        loop.execute(() -> bytes.complete(threads.getCurrentThreadAllocatedBytes()));
        return bytes.get();
    }
}
