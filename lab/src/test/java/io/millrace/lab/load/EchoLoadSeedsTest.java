package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// The load generator on networks that delay, cut and hold up bytes in every way.
class EchoLoadSeedsTest {
    private static final int SEEDS = 300;
    private static final int MESSAGES = 60;

    @Test
    void counts_what_it_asked_for_and_finds_every_byte_right() {
        Simulation.forEachSeed(SEEDS, network -> {
            var settings = anySettings(network);
            var echoed = new AtomicLong();
            network.listen(PORT, conn -> in -> {
                echoed.addAndGet(in.remaining());
                conn.output().move(in);
            });
            var result = new SimulatedLoad(network, settings).result();
            assertEquals("", result.firstError());
            assertEquals(MESSAGES, result.messages());
            assertEquals((long) MESSAGES * sizeBytes(settings), echoed.get());
            assertEquals(echoed.get(), result.bytes());
        });
    }

    @Test
    void notices_one_wrong_byte_and_says_where_it_stands() {
        Simulation.forEachSeed(SEEDS, network -> {
            var settings = anySettings(network).connections(1);
            int size = sizeBytes(settings);
            int wrong = network.random(MESSAGES * size);
            network.listen(PORT, changing(wrong));
            var result = new SimulatedLoad(network, settings).result();
            int message = wrong / size;
            assertEquals(
                    "byte " + wrong % size + " of message " + message + " on connection 0 came back wrong",
                    result.firstError());
            assertEquals(1, result.errors());
            assertEquals(message, result.messages());
        });
    }

    /// An echo that changes one bit of the byte at a position of each connection.
    private static HandlerFactory changing(long position) {
        return conn -> {
            var seen = new AtomicLong();
            return in -> {
                while (!in.isEmpty()) {
                    int flip = seen.getAndIncrement() == position ? 1 : 0;
                    conn.output().writeByte(in.readByte() ^ flip);
                }
            };
        };
    }

    @Test
    void does_not_look_when_it_is_told_not_to() {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, changing(0));
            var settings = anySettings(network);
            var careless = settings.with(new EchoMessages(sizeBytes(settings), false));
            var result = new SimulatedLoad(network, careless).result();
            assertEquals(0, result.errors());
        });
    }

    @Test
    void notices_bytes_of_another_connection() {
        Simulation.forEachSeed(50, network -> {
            network.listen(PORT, new Swapping());
            var settings = settings().connections(2).size(8).duration(Duration.ofMillis(50));
            var result = new SimulatedLoad(network, settings.patience(Duration.ofSeconds(1))).result();
            assertTrue(result.firstError().contains("of message 0 on connection"), result.firstError());
            assertEquals(0, result.messages());
        });
    }

    /// Answers each of two connections with what the other one sent.
    private static final class Swapping implements HandlerFactory {
        private final List<Connection> connections = new ArrayList<>();
        private final List<Bytes> messages = new ArrayList<>();

        @Override
        public Handler open(Connection conn) {
            return in -> {
                if (in.remaining() < Long.BYTES) return;
                connections.add(conn);
                messages.add(in.readBytes(Long.BYTES));
                if (messages.size() < 2) return;
                answer(connections.get(0), messages.get(1));
                answer(connections.get(1), messages.get(0));
            };
        }

        private static void answer(Connection conn, Bytes message) {
            conn.loop().execute(() -> conn.output().write(message));
        }
    }

    @Test
    void notices_more_bytes_than_it_sent() {
        Simulation.forEachSeed(50, network -> {
            network.listen(
                    PORT,
                    conn -> in ->
                            conn.output().writeByte(in.peekByte(0)).move(in).writeByte(0));
            var settings = settings().connections(1).size(1).messages(MESSAGES);
            var result = new SimulatedLoad(network, settings).result();
            assertTrue(
                    result.firstError().equals("connection 0 got more bytes back than it had sent")
                            || result.firstError().contains("came back wrong"),
                    result.firstError());
        });
    }

    /// The lab's agent writes its first line then, for which a JVM that has just started must load classes.
    @Test
    void who_hears_of_the_beginning_may_take_longer_than_the_load() {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var clock = new LateClock(network);
            var settings = settings().connections(3).size(8).duration(Duration.ofMillis(200));
            var load = new SimulatedLoad(network, settings, clock).whenBegun(() -> clock.lateNanos = 250_000_000);
            var result = load.result();
            assertEquals("", result.firstError());
            assertTrue(result.messages() > 0, result::toString);
            assertEquals(0.2, result.seconds(), 1e-9);
        });
    }

    /// Time that has passed on the loop's thread.
    private static final class LateClock extends SimulatedLoad.VirtualClock {
        private long lateNanos;

        LateClock(Simulation network) {
            super(network);
        }

        @Override
        public long nanos() {
            return super.nanos() + lateNanos;
        }
    }

    @Test
    void an_open_loop_sends_at_its_rate() {
        Simulation.forEachSeed(30, network -> {
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var settings = settings()
                    .connections(1 + network.random(20))
                    .rate(1000)
                    .warmUp(Duration.ofMillis(network.random(300)))
                    .duration(Duration.ofSeconds(2));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals("", result.firstError());
            assertTrue(Math.abs(result.messages() - 2000) <= 2, result::toString);
            assertTrue(result.seconds() >= 1.99, () -> "" + result.seconds());
        });
    }

    @Test
    void large_messages_go_in_pieces() {
        Simulation.forEachSeed(30, network -> {
            network.chunks(1000, 50_000).buffers(10_000, 200_000);
            network.listen(PORT, conn -> in -> conn.output().move(in));
            var settings = settings().connections(2).size(700_000).depth(2).patience(Duration.ofHours(1));
            var result = new SimulatedLoad(network, settings.messages(8)).result();
            assertEquals("", result.firstError());
            assertEquals(8, result.messages());
        });
    }

    private static LoadSettings anySettings(Simulation network) {
        var settings = settings()
                .connections(1 + network.random(5))
                .size(1 + network.random(network.random(4) == 0 ? 5_000 : 50));
        if (network.random(2) == 0) settings = settings.rate(500 + network.random(100_000));
        return settings.depth(1 + network.random(5)).messages(MESSAGES).patience(Duration.ofHours(10));
    }

    private static int sizeBytes(LoadSettings settings) {
        return ((EchoMessages) settings.content()).sizeBytes();
    }
}
