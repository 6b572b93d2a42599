package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A loop whose memory is taken by peers that do not read; closing the loops asserts that all slabs came home.
@Tag("shipping")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryShortageTest {
    private static final int MOST_PEERS = 60;
    private static final byte[] PAGE = new byte[256 << 10];

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void peers_that_take_nothing_make_room_for_those_who_come(Loops kind) throws Exception {
        long acted = CoreGuards.SLABS.count();
        var pages = new AtomicInteger();
        try (var loops = kind.withMemory(4 << 20);
                var server = Tcp.listen(
                        local(loops).option(StandardSocketOptions.SO_SNDBUF, 16 << 10),
                        conn -> in -> answer(conn, in, pages));
                var slow = new Slow(server)) {
            for (int i = 0; i < MOST_PEERS && loops.counters().getFirst().receivesStarved() == 0; i++) {
                int asked = i;
                slow.ask();
                until(() -> pages.get() > asked || loops.counters().getFirst().receivesStarved() > 0);
            }
            try (var peer = RawPeer.of(server)) {
                peer.send("hello");
                assertEquals("hello", new String(peer.socket().getInputStream().readNBytes(5), US_ASCII));
            }
            assertTrue(CoreGuards.SLABS.count() > acted);
        }
    }

    /// `l` gets a page, however full the output is; everything else is sent back.
    private static void answer(Connection conn, Input in, AtomicInteger pages) {
        if (in.peekByte(0) != 'l') {
            conn.output().move(in);
            return;
        }
        pages.incrementAndGet();
        in.skip(in.remaining());
        conn.output().write(PAGE, 0, PAGE.length);
    }

    /// Peers that have asked for a page and read nothing.
    private static final class Slow implements AutoCloseable {
        private final Server server;
        private final List<RawPeer> peers = new ArrayList<>();

        Slow(Server server) {
            this.server = server;
        }

        void ask() throws IOException {
            var peer = RawPeer.withSmallWindow(server);
            peers.add(peer);
            peer.send("l");
        }

        @Override
        public void close() throws IOException {
            for (var peer : peers) peer.close();
        }
    }
}
