package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tcp;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// TLS with somebody in the middle, who holds back what goes one way from a certain byte on, or cuts it there: of the
/// handshake, of what is said, and of the end.
@Tag("simulation")
class TlsMiddleTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");
    private static final TlsClient CLIENT = Tls.client("localhost").trusting(IDENTITY.chain());
    private static final int ALL = Integer.MAX_VALUE;
    private static final int WORDS = 20_000;

    /// One connection from a client to an echo, and what the one in the middle does with it.
    private static final class Talk {
        private final Simulation network;
        private final byte[] words;
        private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
        private final Watched clients;
        private final AtomicReference<Peer> fromClient = new AtomicReference<>();
        private final Peer toServer;
        private int up;
        private int down;

        Talk(Simulation network) {
            this.network = network;
            this.words = network.randomBytes(WORDS);
            this.clients = Watched.handlers(conn -> {
                conn.output().write(words, 0, words.length);
                return in -> {
                    heard.writeBytes(in.readBytes(in.remaining()).toArray());
                    if (heard.size() == words.length) conn.close();
                };
            });
            Tcp.listen(network.on(7).through(Tls.server(IDENTITY)), EchoSeedsTest.ECHO);
            network.answer(6, fromClient::set);
            this.toServer = network.connect(7);
            Tcp.connect(network.to(6).through(CLIENT), clients);
        }

        /// Passes on at most so many bytes each way, until nothing moves.
        Talk passOn(int mostUp, int mostDown) {
            boolean moves = true;
            while (moves) {
                network.run();
                moves = passUp(mostUp);
                moves |= passDown(mostDown);
            }
            return this;
        }

        private boolean passUp(int most) {
            var all = fromClient.get().receivedBytes();
            int until = Math.min(most, all.length);
            if (until <= up) return false;
            toServer.send(Arrays.copyOfRange(all, up, until));
            up = until;
            return true;
        }

        private boolean passDown(int most) {
            var all = toServer.receivedBytes();
            int until = Math.min(most, all.length);
            if (until <= down) return false;
            fromClient.get().send(Arrays.copyOfRange(all, down, until));
            down = until;
            return true;
        }

        /// The one in the middle goes, in order.
        Talk end() {
            fromClient.get().close();
            toServer.close();
            network.run();
            return this;
        }

        void assertWhole() {
            assertArrayEquals(words, heard.toByteArray());
            assertEquals(List.of(Watched.ORDERLY), clients.ends);
        }

        /// What was heard is the beginning of what was said, nobody took a cut for an end, and nothing is left.
        void assertCut() {
            network.advance(Duration.ofSeconds(61));
            var part = heard.toByteArray();
            assertArrayEquals(Arrays.copyOf(words, part.length), part);
            boolean isWhole = part.length == words.length;
            assertTrue(isWhole || !clients.ends.contains(Watched.ORDERLY), () -> clients.ends + " at " + part.length);
            assertTrue(network.loops().counters().stream().allMatch(loop -> loop.connections() == 0));
        }
    }

    /// How many bytes go each way, about: signatures differ in length.
    private record Lengths(int up, int down) {
        static Lengths of() {
            try (var network = new Simulation(1)) {
                var talk = new Talk(network).passOn(ALL, ALL).end();
                talk.assertWhole();
                return new Lengths(talk.up, talk.down);
            }
        }
    }

    private static void holdBack(Simulation network, boolean isUp, int at) {
        new Talk(network)
                .passOn(isUp ? at : ALL, isUp ? ALL : at)
                .passOn(ALL, ALL)
                .end()
                .assertWhole();
    }

    private static void cut(Simulation network, boolean isUp, int at) {
        new Talk(network).passOn(isUp ? at : ALL, isUp ? ALL : at).end().assertCut();
    }

    @Test
    void what_comes_in_two_pieces_is_the_same() {
        var lengths = Lengths.of();
        Simulation.forEachSeed(100, network -> {
            boolean isUp = network.random(2) == 0;
            holdBack(network, isUp, network.random(isUp ? lengths.up : lengths.down));
        });
    }

    @Test
    void what_is_cut_is_never_whole() {
        var lengths = Lengths.of();
        Simulation.forEachSeed(100, network -> {
            boolean isUp = network.random(2) == 0;
            cut(network, isUp, network.random(isUp ? lengths.up : lengths.down));
        });
    }

    /// Each byte of the handshake, and of the first record behind it.
    @Test
    @Tag("long")
    void each_byte_of_a_handshake_may_be_the_last() {
        for (int at = 0; at < 2_500; at++) {
            for (boolean isUp : new boolean[] {true, false}) {
                try (var network = new Simulation(at)) {
                    holdBack(network, isUp, at);
                }
                try (var network = new Simulation(at)) {
                    cut(network, isUp, at);
                }
            }
        }
    }
}
