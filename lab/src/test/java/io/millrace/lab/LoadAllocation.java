package io.millrace.lab;

import com.sun.management.ThreadMXBean;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.lab.load.EchoMessages;
import io.millrace.lab.load.HttpMessages;
import io.millrace.lab.load.LoadMessages;
import io.millrace.lab.load.LoadSettings;
import io.millrace.lab.load.RunningLoad;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// Prints how many bytes the load generator allocates for a message.
final class LoadAllocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Response WHOLE = Response.ok("hello");
    private static final Response CHUNKED = Response.stream(200, out -> {
        out.writeUtf8("hello");
        return false;
    });

    private LoadAllocation() {}

    /// Measures, and prints one number.
    ///
    /// @param arguments what kind of messages: `echo`, `http`, `http2` or `chunks`
    public static void main(String[] arguments) throws Exception {
        var kind = arguments[0];
        var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var serverLoops = EventLoops.of(1);
                var loops = EventLoops.of(1);
                var server = serve(kind, Listen.on(here).loops(serverLoops))) {
            var settings = LoadSettings.to(server.address())
                    .with(messages(kind))
                    .connections(5)
                    .depth(100);
            runAndCountBytes(settings, loops, 300_000);
            long few = runAndCountBytes(settings, loops, 100_000);
            long many = runAndCountBytes(settings, loops, 400_000);
            System.out.println((many - few) / 300_000.0);
        }
    }

    private static Server serve(String kind, Listen on) {
        if (kind.equals("echo"))
            return Tcp.listen(on, conn -> in -> conn.output().move(in));
        return Http.listen(on, request -> request.path().equals("/chunks") ? CHUNKED : WHOLE);
    }

    private static LoadMessages messages(String kind) {
        if (kind.equals("echo")) return new EchoMessages(64, true);
        var messages = HttpMessages.get("localhost", "/" + kind);
        return kind.equals("http2") ? messages.overHttp2("http") : messages;
    }

    /// What the loop of a load allocates for so many messages, and for beginning and ending.
    private static long runAndCountBytes(LoadSettings settings, EventLoops loops, int messages) throws Exception {
        long before = allocatedBy(loops);
        var counted = settings.warmUp(Duration.ZERO).messages(messages);
        var result =
                RunningLoad.start(counted, loops).result().toCompletableFuture().get();
        if (result.messages() != messages) throw new IllegalStateException(result.toString());
        return allocatedBy(loops) - before;
    }

    private static long allocatedBy(EventLoops loops) throws Exception {
        var bytes = new CompletableFuture<Long>();
        loops.next().execute(() -> bytes.complete(THREADS.getCurrentThreadAllocatedBytes()));
        return bytes.get();
    }
}
