package io.millrace;

import static io.millrace.TcpTest.local;
import static io.millrace.WatermarkTest.assertAtMost;
import static io.millrace.WatermarkTest.untilStill;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Peers that send for ever and never read, in every style: each stops at the watermark, what they hold stays what
/// it is, and others are served meanwhile.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NeverReadingPeersTest {
    private static final int PEERS = 8;
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    /// How the server echoes.
    enum Style {
        ON_LOOP,
        ON_VIRTUAL,
        ON_POOL,
        DIRECT,
        TUNNEL
    }

    static Stream<Arguments> everywhere() {
        var onEach = Stream.of(Loops.NIO, Loops.EPOLL, Loops.URING)
                .flatMap(kind -> Stream.of(Style.values()).map(style -> Arguments.of(kind, style)));
        var withoutCarriers = Stream.of(
                        Loops.NIO_WITHOUT_CARRIERS, Loops.EPOLL_WITHOUT_CARRIERS, Loops.URING_WITHOUT_CARRIERS)
                .map(kind -> Arguments.of(kind, Style.DIRECT));
        return Stream.concat(onEach, withoutCarriers);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void stop_at_the_watermark_and_nothing_grows(Loops kind, Style style) throws Exception {
        try (var loops = kind.start(1);
                var behind = Tcp.listen(local(loops), ECHO);
                var server = start(style, loops, behind)) {
            var greedy = new ArrayList<RawPeer>();
            var senders = new ArrayList<Thread>();
            for (int i = 0; i < PEERS; i++) {
                var peer = RawPeer.withSmallWindow(server);
                greedy.add(peer);
                senders.add(peer.sendForEver());
            }
            untilStill(loops);
            long held = held(loops);
            // Unread input, its successor, and output at its watermark, each rounded up to slabs.
            int connections = style == Style.TUNNEL ? 3 * PEERS : PEERS;
            assertAtMost(connections * (1L << 20), held);
            for (var sender : senders) assertTrue(sender.isAlive());
            try (var modest = RawPeer.of(server)) {
                for (int i = 0; i < 100; i++) modest.send("x").assertReads("x");
            }
            untilStill(loops);
            assertEquals(held, held(loops));
            for (var peer : greedy) peer.reset();
            for (var sender : senders) sender.join();
        }
    }

    private static Server start(Style style, EventLoops loops, Server behind) {
        return switch (style) {
            case ON_LOOP -> Tcp.listen(local(loops), ECHO);
            case ON_VIRTUAL -> Tcp.listen(local(loops).dispatch(Dispatch.virtual()), ECHO);
            case ON_POOL -> Tcp.listen(local(loops).dispatch(Dispatch.pool(2)), ECHO);
            case DIRECT ->
                Tcp.serve(local(loops), conn -> {
                    while (conn.read()) conn.output().move(conn.input());
                });
            case TUNNEL -> Tcp.listen(local(loops), Tunnel.to(behind.address()));
        };
    }

    private static long held(EventLoops loops) {
        return loops.counters().getFirst().slabBytesInUse();
    }
}
