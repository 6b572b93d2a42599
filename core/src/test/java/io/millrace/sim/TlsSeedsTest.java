package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.net.BlockingConnection;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// TLS over whatever the network does. The same seed has the same network each time, and other bytes: the engine takes
/// its secrets from where nobody can put a seed, and signatures differ in length.
@Tag("simulation")
class TlsSeedsTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");
    private static final TlsServer SERVER = Tls.server(IDENTITY);
    private static final TlsClient CLIENT = Tls.client("localhost").trusting(IDENTITY.chain());

    @Test
    void handlers_echo_what_clients_say() {
        Simulation.forEachSeed(100, network -> {
            var dispatch = List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
            Tcp.listen(network.on(7).through(SERVER).dispatch(dispatch.get(network.random(3))), EchoSeedsTest.ECHO);
            assertEchoed(network);
        });
    }

    @Test
    void sessions_echo_what_clients_say() {
        Simulation.forEachSeed(100, network -> {
            Tcp.serve(network.on(7).through(SERVER), EchoSeedsTest.DIRECT_ECHO);
            assertEchoed(network);
        });
    }

    /// One byte a packet, both ways, at every moment of a handshake and of a talk.
    @Test
    void bytes_may_come_one_by_one() {
        Simulation.forEachSeed(5, network -> {
            network.chunks(1, 1);
            Tcp.listen(network.on(7).through(SERVER), EchoSeedsTest.ECHO);
            assertEchoed(network);
        });
    }

    /// What looks at the name passes on every byte, however it comes.
    @Test
    void what_is_passed_on_is_as_it_came() {
        Simulation.forEachSeed(20, network -> {
            if (network.random(4) == 0) network.chunks(1, 1);
            Tcp.listen(network.on(7).through(Tls.passing()).through(SERVER), EchoSeedsTest.ECHO);
            assertEchoed(network);
        });
    }

    private static void assertEchoed(Simulation network) {
        var clients = Watched.handlers(conn -> {
            var words = network.randomBytes(1 + network.random(40_000));
            var heard = new ByteArrayOutputStream();
            conn.output().write(words, 0, words.length);
            return in -> {
                heard.writeBytes(in.readBytes(in.remaining()).toArray());
                if (heard.size() < words.length) return;
                assertArrayEquals(words, heard.toByteArray());
                conn.close();
            };
        });
        int count = 1 + network.random(3);
        for (int i = 0; i < count; i++) Tcp.connect(network.to(7).through(CLIENT), clients);
        network.run();
        network.advance(Duration.ofSeconds(2));
        assertEquals(Collections.nCopies(count, Watched.ORDERLY), clients.ends);
        assertNothingIsOpen(network);
    }

    private static void assertNothingIsOpen(Simulation network) {
        assertTrue(network.loops().counters().stream().allMatch(loop -> loop.connections() == 0));
    }

    /// What arrives is the beginning of what was said, and an end is told apart from a cut.
    @Test
    void connections_may_break_at_any_moment() {
        Simulation.forEachSeed(100, network -> {
            network.resets(0.5);
            var words = network.randomBytes(1 + network.random(60_000));
            Tcp.serve(network.on(7).through(SERVER), conn -> conn.output().write(words, 0, words.length));
            Tcp.serve(network.on(8), proxy -> {
                var heard = new ByteArrayOutputStream();
                boolean isWhole = false;
                try (var conn = Tcp.connect(network.to(7).through(CLIENT))) {
                    while (conn.read()) take(conn, heard);
                    take(conn, heard);
                    isWhole = true;
                } catch (IOException _) {
                    // broken, as it may be
                }
                assertArrayEquals(Arrays.copyOf(words, heard.size()), heard.toByteArray());
                if (isWhole) assertEquals(words.length, heard.size());
            });
            var talks = new ArrayList<Peer>();
            for (int i = 0; i < 3; i++) talks.add(network.connect(8));
            network.run();
            talks.forEach(Peer::end);
            network.run();
            network.advance(Duration.ofSeconds(90));
            assertNothingIsOpen(network);
        });
    }

    private static void take(BlockingConnection conn, ByteArrayOutputStream heard) {
        heard.writeBytes(conn.input().readBytes(conn.input().remaining()).toArray());
    }

    /// By the default, in virtual time.
    @Test
    void who_says_nothing_has_ten_seconds() {
        Simulation.forEachSeed(20, network -> {
            var server = Tcp.listen(network.on(7).through(SERVER), EchoSeedsTest.ECHO);
            for (int i = 0; i < 10; i++) network.connect(7);
            network.advance(Duration.ofSeconds(9));
            assertEquals(10, server.connections());
            network.advance(Duration.ofSeconds(2));
            assertEquals(0, server.connections());
        });
    }
}
