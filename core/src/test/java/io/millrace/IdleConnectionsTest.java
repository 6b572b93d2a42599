package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Child;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Connections that are there and do nothing; `-Dmillrace.abuse=full` takes 10 000 of them and prints what each
/// costs. Their peers are a process of their own, because one process has too few descriptors for both sides.
@Tag("slow")
@Tag("abuse")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleConnectionsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final boolean IS_FULL = "full".equals(System.getProperty("millrace.abuse"));
    private static final int COUNT = IS_FULL ? 10_000 : 1_500;
    private static final int WARM_UPS = IS_FULL ? 5 : 1;

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void idle_connections_are_all_accepted_still_echo_and_leave_nothing(Loops kind) throws Exception {
        Proc.assumeDescriptors(COUNT + 200);
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops), conn -> in -> conn.output().move(in));
                var peers = Child.start(IdlePeers.class, List.of(), server.port())) {
            long before = Proc.descriptors();
            assertEquals(COUNT + " are open", peers.ask("open " + COUNT));
            // Peers are connected before they are accepted, and a loop that looks for their bytes has a slab meanwhile.
            until(() ->
                    server.connections() == COUNT && loops.counters().getFirst().slabBytesInUse() == 0);
            assertEquals("x", peers.ask("echo " + COUNT / 2));
            assertEquals("closed", peers.ask("close"));
            until(() -> server.connections() == 0 && Proc.descriptors() <= before);
            assertEquals(COUNT, loops.counters().getFirst().closed());
            until(() -> loops.counters().getFirst().slabBytesInUse() == 0);
        }
    }

    /// Heap that is left after a collection, and what else the process took. The limits are the objects of a
    /// connection and what such a measurement varies by; a session that was never compiled parks with larger
    /// frames.
    @ParameterizedTest
    @CsvSource({
        "EPOLL, callback, 640",
        "EPOLL, direct, 4096",
        "EPOLL_WITHOUT_CARRIERS, direct, 4096",
        "URING, callback, 768",
        "URING, direct, 4096",
        "NIO, callback, 1536",
        "NIO, direct, 4096"
    })
    void an_idle_connection_costs_little_memory(Loops kind, String style, long heapLimit) throws Exception {
        Proc.assumeDescriptors(COUNT + 200);
        kind.assumeWorks();
        // The heap is all there from the start, so that only other memory makes the process larger.
        var flags = List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch");
        try (var server = Child.start(EchoProcess.class, flags, kind, style);
                var peers = Child.start(IdlePeers.class, List.of(), server.next())) {
            // The first ones bring classes, compiled code and slabs.
            for (int i = 0; i < WARM_UPS; i++) openAndClose(server, peers);
            long heapBefore = server.askNumbers("heap")[0];
            long residentBefore = Proc.residentBytes(server.handle());
            peers.ask("open " + COUNT);
            awaitConnections(server, COUNT);
            long heap = (server.askNumbers("heap")[0] - heapBefore) / COUNT;
            long outside = (Proc.residentBytes(server.handle()) - residentBefore) / COUNT;
            var cost = kind + " " + style + ": " + heap + " bytes of heap and " + outside
                    + " of other memory for each of " + COUNT + " idle connections";
            if (IS_FULL) System.out.println(cost);
            // Of a few connections, what classes and the compiler take meanwhile hides much.
            assertTrue(heap <= (IS_FULL ? heapLimit : 4 * heapLimit), cost);
            assertTrue(!IS_FULL || outside <= 1024, cost);
        }
    }

    private static void openAndClose(Child server, Child peers) throws IOException {
        peers.ask("open " + COUNT);
        peers.ask("close");
        awaitConnections(server, 0);
    }

    private static void awaitConnections(Child server, int count) throws IOException {
        while (server.askNumbers("counters")[0] != count) Waiting.briefly();
    }
}
