package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.server.Http;
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

/// WebSockets that are open and say nothing; `-Dmillrace.abuse=full` takes 10 000 of them and prints what each
/// costs.
@Tag("slow")
@Tag("abuse")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleSocketsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final boolean IS_FULL = "full".equals(System.getProperty("millrace.abuse"));
    private static final int COUNT = IS_FULL ? 10_000 : 1_000;
    private static final int WARM_UPS = IS_FULL ? 3 : 1;

    /// Heap that is left after a collection: all objects of the connection and of the socket, and in direct style
    /// the session's stack.
    @ParameterizedTest
    @CsvSource({
        "EPOLL, callback, 1024",
        "URING, callback, 1024",
        "EPOLL, direct, 2560",
        "URING, direct, 2560",
    })
    void an_idle_socket_costs_little_memory(TransportKind kind, String style, long limit) throws Exception {
        assumeTrue(Transports.unavailableBecause(kind).isEmpty());
        var flags = List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m");
        try (var server = Child.start(List.of(Http.class), IdleSocketsServer.class, flags, kind, style);
                var peers = Child.start(List.of(Http.class), IdleSocketPeers.class, List.of(), server.next())) {
            for (int i = 0; i < WARM_UPS; i++) openAndClose(server, peers);
            long before = server.askNumbers("heap")[0];
            assertEquals(COUNT, peers.askNumbers(String.valueOf(COUNT))[0]);
            awaitConnections(server, COUNT);
            long each = (server.askNumbers("heap")[0] - before) / COUNT;
            var cost = kind + " " + style + ": " + each + " bytes of heap for each of " + COUNT + " idle WebSockets";
            if (IS_FULL) System.out.println(cost);
            // Of few sockets, what classes and the compiler take meanwhile hides much.
            assertTrue(each <= (IS_FULL ? limit : 4 * limit), cost);
        }
    }

    private static void openAndClose(Child server, Child peers) throws IOException {
        peers.ask(String.valueOf(COUNT));
        peers.ask("close");
        awaitConnections(server, 0);
    }

    private static void awaitConnections(Child server, int count) throws IOException {
        while (server.askNumbers("connections")[0] != count) Waiting.briefly();
    }
}
