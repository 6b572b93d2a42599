package io.millrace.lab;

import com.sun.management.ThreadMXBean;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Tcp;
import io.millrace.lab.load.EchoLoad;
import io.millrace.lab.load.LoadSettings;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// Prints how many bytes the load generator allocates for a message.
final class LoadAllocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private LoadAllocation() {}

    public static void main(String[] arguments) throws Exception {
        var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var serverLoops = EventLoops.of(1);
                var loops = EventLoops.of(1);
                var server = Tcp.listen(
                        Listen.on(here).loops(serverLoops),
                        conn -> in -> conn.output().move(in))) {
            var settings = LoadSettings.to(server.address()).withConnections(5).withDepth(20);
            runAndCountBytes(settings, loops, 300_000);
            long few = runAndCountBytes(settings, loops, 100_000);
            long many = runAndCountBytes(settings, loops, 600_000);
            System.out.println((many - few) / 500_000.0);
        }
    }

    /// What the loop of a load allocates for so many messages, and for beginning and ending.
    private static long runAndCountBytes(LoadSettings settings, EventLoops loops, int messages) throws Exception {
        long before = allocatedBy(loops);
        var counted = settings.withWarmUp(Duration.ZERO).withMessages(messages);
        EchoLoad.start(counted, loops).result().toCompletableFuture().get();
        return allocatedBy(loops) - before;
    }

    private static long allocatedBy(EventLoops loops) throws Exception {
        var bytes = new CompletableFuture<Long>();
        loops.next().execute(() -> bytes.complete(THREADS.getCurrentThreadAllocatedBytes()));
        return bytes.get();
    }
}
