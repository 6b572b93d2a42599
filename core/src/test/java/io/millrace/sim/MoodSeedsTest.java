package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.WireLog;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.NetException;
import io.millrace.net.ProtocolError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Handlers and sessions that do whatever they are allowed to, in any order: what they wrote arrives, everything
/// ends once, and nothing is left behind.
@Tag("simulation")
class MoodSeedsTest {
    @Test
    void moody_handlers_on_the_loop() {
        Simulation.forEachSeed(200, network -> assertHandlers(network, Dispatch.loop(), false));
    }

    @Test
    void moody_handlers_on_a_pool() {
        Simulation.forEachSeed(200, network -> assertHandlers(network, Dispatch.pool(2), false));
    }

    @Test
    void moody_handlers_on_virtual_threads() {
        Simulation.forEachSeed(200, network -> assertHandlers(network, Dispatch.virtual(), false));
    }

    @Test
    void moody_handlers_behind_a_stage() {
        Simulation.forEachSeed(200, network -> assertHandlers(network, anyDispatch(network), true));
    }

    @Test
    void moody_handlers_and_resets() {
        Simulation.forEachSeed(200, network -> assertHandlers(network.resets(0.3), anyDispatch(network), false));
    }

    @Test
    void moody_sessions() {
        Simulation.forEachSeed(200, MoodSeedsTest::assertSessions);
    }

    @Test
    void moody_sessions_without_carriers() {
        Simulation.forEachSeed(100, SimulationSettings.standard().carriers(0), network -> assertSessions(network));
    }

    @Test
    void moody_sessions_and_resets() {
        Simulation.forEachSeed(
                200, SimulationSettings.standard().carriers(0.75), network -> assertSessions(network.resets(0.3)));
    }

    static Dispatch anyDispatch(Simulation network) {
        return switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.pool(2);
            default -> Dispatch.virtual();
        };
    }

    private static void assertHandlers(Simulation network, Dispatch dispatch, boolean isStaged) {
        var moods = new ArrayList<Mood>();
        var handlers = Watched.handlers(conn -> {
            var mood = new MoodyHandler(network, conn);
            moods.add(mood);
            return mood;
        });
        var on = network.on(7).dispatch(dispatch).inputLimit(100_000).watermarks(1000, 5000);
        var server = Tcp.listen(
                isStaged ? on.through(WireLog.to(System.getLogger("quiet"), System.Logger.Level.TRACE, 16)) : on,
                handlers);
        var talks = Talk.some(network, 7);
        Talk.ramble(network, talks);
        finish(network, talks);
        assertEquals(0, handlers.open());
        assertEquals(0, server.connections());
        assertHeard(talks, moods);
    }

    private static void assertSessions(Simulation network) {
        var moods = new ArrayList<Mood>();
        var running = new int[1];
        var on = network.on(7).inputLimit(100_000).watermarks(1000, 5000);
        var server = Tcp.serve(on, conn -> {
            var mood = new Mood(network, conn.remote().toString());
            moods.add(mood);
            running[0]++;
            try {
                live(mood, conn);
            } catch (NetException e) {
                mood.isFailed = true;
                throw e;
            } catch (UncheckedIOException e) {
                assert e.getCause() instanceof NetException : e;
                mood.isFailed = true;
                throw e;
            } finally {
                running[0]--;
            }
        });
        var talks = Talk.some(network, 7);
        Talk.ramble(network, talks);
        finish(network, talks);
        assertEquals(0, running[0]);
        assertEquals(0, server.connections());
        assertHeard(talks, moods);
    }

    private static void finish(Simulation network, List<Talk> talks) {
        talks.forEach(Talk::finish);
        network.run();
        network.advance(Duration.ofSeconds(1));
        // Handlers that still wait for something: a connection that nobody ends is nobody's mistake.
        for (var talk : talks) talk.peer.abort();
        network.run();
        network.advance(Duration.ofSeconds(2));
    }

    private static void assertHeard(List<Talk> talks, List<Mood> moods) {
        for (var mood : moods) {
            var talk = talks.stream()
                    .filter(each -> mood.remote.equals(each.peer.local().toString()))
                    .findFirst()
                    .orElseThrow();
            var heard = talk.peer.receivedBytes();
            var wrote = mood.wrote.toByteArray();
            assertTrue(heard.length <= wrote.length);
            assertArrayEquals(Arrays.copyOf(wrote, heard.length), heard);
            if (talk.peer.isEnded() && !mood.isFailed) assertEquals(wrote.length, heard.length);
            var read = mood.read.toByteArray();
            assertArrayEquals(Arrays.copyOf(talk.words, read.length), read);
        }
    }

    /// What somebody has read and written so far.
    private static class Mood {
        final Simulation network;
        final String remote;
        final ByteArrayOutputStream wrote = new ByteArrayOutputStream();
        final ByteArrayOutputStream read = new ByteArrayOutputStream();
        boolean isFailed;

        Mood(Simulation network, String remote) {
            this.network = network;
            this.remote = remote;
        }

        int random(int bound) {
            return network.random(bound);
        }

        void write(Output out) {
            var bytes = network.randomBytes(1 + random(1 << random(14)));
            out.write(bytes, 0, bytes.length);
            wrote.writeBytes(bytes);
        }

        void read(Input in) {
            take(in, random((int) in.remaining() + 1));
        }

        void readAll(Input in) {
            take(in, (int) in.remaining());
        }

        private void take(Input in, int length) {
            read.writeBytes(in.readBytes(length).toArray());
        }
    }

    private static final class MoodyHandler extends Mood implements Handler {
        private final Connection conn;
        private boolean isOver;

        MoodyHandler(Simulation network, Connection conn) {
            super(network, conn.remote().toString());
            this.conn = conn;
            if (random(3) == 0) write(conn.output());
            isOver = random(30) == 0;
            if (isOver && random(2) == 0) conn.abort();
            else if (isOver) conn.close();
        }

        @Override
        public void onInput(Input in) throws IOException {
            assertFalse(in.isEmpty(), "offered nothing");
            if (isOver) {
                in.skip(in.remaining());
                return;
            }
            switch (random(12)) {
                case 0 -> pauseForAWhile();
                case 1 -> {
                    isOver = true;
                    conn.close();
                }
                case 2 -> {
                    isOver = true;
                    conn.end();
                }
                case 3 -> fail();
                case 4, 5 -> read(in);
                default -> {
                    readAll(in);
                    write(conn.output());
                }
            }
        }

        private void pauseForAWhile() {
            conn.pause();
            var _ = conn.loop().after(Duration.ofMillis(random(50)), conn::resume);
        }

        private void fail() throws IOException {
            isFailed = true;
            switch (random(8)) {
                case 0 -> conn.abort();
                case 1 -> throw new ProtocolError("not in the mood");
                default -> isFailed = false;
            }
        }

        @Override
        public void onEnd(Connection conn) {
            if (!isOver && random(2) == 0) write(conn.output());
            conn.close();
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            if (cause != null) isFailed = true;
        }
    }

    private static void live(Mood mood, BlockingConnection conn) throws IOException {
        if (mood.random(3) == 0) mood.write(conn.output());
        while (conn.read()) {
            switch (mood.random(12)) {
                case 0 -> conn.flush();
                case 1 -> {
                    if (mood.random(3) == 0) return;
                }
                case 2 -> {
                    conn.end();
                    while (conn.read()) mood.readAll(conn.input());
                    return;
                }
                case 3 -> {
                    if (mood.random(8) > 0) continue;
                    mood.isFailed = true;
                    conn.abort();
                }
                case 4, 5 -> mood.read(conn.input());
                default -> {
                    mood.readAll(conn.input());
                    mood.write(conn.output());
                }
            }
        }
        if (mood.random(2) == 0) mood.write(conn.output());
    }
}
