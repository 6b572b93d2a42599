package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.bytes.Input;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.loop.LoopThreads;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Refused;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Timeouts, to the tick, in virtual time.
@Tag("simulation")
class TimeoutSeedsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /// The default.
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);

    /// More than every delay of the network and the tick of the timer wheel together.
    private static final Duration MOMENT = Duration.ofMillis(500);

    private static final Duration ALMOST = LIMIT.minus(MOMENT);

    @Test
    void an_idle_connection_is_closed_in_time() {
        Simulation.forEachSeed(40, network -> {
            var handlers = Watched.handlers(EchoSeedsTest.ECHO);
            Tcp.listen(shaken(network).idleTimeout(LIMIT), handlers);
            var peer = network.connect(7);
            for (int i = 0; i < 5; i++) {
                network.advance(ALMOST);
                peer.send("still there?");
                network.run();
            }
            assertEquals(5 * "still there?".length(), peer.receivedCount());
            network.advance(ALMOST);
            assertEquals(List.of(), handlers.ends);
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(List.of("TimedOut"), handlers.ends);
            assertTrue(peer.isReset());
        });
    }

    /// With any dispatch: timeouts are the loop's.
    private static Listen shaken(Simulation network) {
        var dispatches = List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
        return brisk(network).on(7).dispatch(dispatches.get(network.random(3)));
    }

    /// What a socket holds is full within a moment, however slow the network is: while bytes still go there, something
    /// moves.
    private static Simulation brisk(Simulation network) {
        return network.buffers(1 << 10, 4 << 10).chunks(1 << 10, 64 << 10);
    }

    @Test
    void a_silent_peer_is_read_for_a_limited_time() {
        Simulation.forEachSeed(40, network -> {
            var handlers = Watched.handlers(_ -> in -> in.skip(in.remaining()));
            Tcp.listen(shaken(network).readTimeout(LIMIT), handlers);
            var peer = network.connect(7);
            for (int i = 0; i < 5; i++) {
                network.advance(ALMOST);
                peer.send("x");
                network.run();
            }
            network.advance(ALMOST);
            assertEquals(List.of(), handlers.ends);
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(List.of("TimedOut"), handlers.ends);
        });
    }

    @Test
    void a_peer_that_takes_nothing_is_written_to_for_a_limited_time() {
        Simulation.forEachSeed(40, network -> {
            var answer = network.randomBytes(1 << 20);
            var served = new ArrayList<Connection>();
            var handlers = Watched.handlers(conn -> {
                served.add(conn);
                return in -> {
                    in.skip(in.remaining());
                    conn.output().write(answer, 0, answer.length);
                };
            });
            Tcp.listen(shaken(network).writeTimeout(LIMIT), handlers);
            var peer = network.connect(7).pause().send("?");
            network.run();
            network.advance(ALMOST);
            assertEquals(List.of(), handlers.ends);
            // Some progress counts, however little is taken.
            peer.resume();
            network.advance(Duration.ofMillis(1));
            peer.pause();
            network.advance(LIMIT.plus(MOMENT.multipliedBy(2)));
            // What is left may fit into what the sockets hold.
            boolean isSent = served.getFirst().sentBytes() == answer.length;
            assertEquals(isSent ? List.of() : List.of("TimedOut"), handlers.ends);
        });
    }

    /// However long after the beginning of the connection the write comes.
    @Test
    void a_write_timeout_counts_from_the_write() {
        Simulation.forEachSeed(40, network -> {
            var answer = network.randomBytes(1 << 20);
            var handlers = Watched.handlers(conn -> in -> {
                in.skip(in.remaining());
                conn.output().write(answer, 0, answer.length);
            });
            Tcp.listen(shaken(network).writeTimeout(LIMIT), handlers);
            var peer = network.connect(7).pause();
            network.advance(Duration.ofSeconds(1 + network.random(100)));
            peer.send("?");
            network.advance(ALMOST);
            assertEquals(List.of(), handlers.ends);
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(List.of("TimedOut"), handlers.ends);
        });
    }

    /// With the default, whether the handler closes or ends, in every style, also behind the peer's end.
    @Test
    void a_peer_that_takes_nothing_keeps_no_closing_connection() {
        Simulation.forEachSeed(60, network -> {
            var answer = network.randomBytes(1 << 20);
            boolean isClosing = network.random(2) == 0;
            var handlers = Watched.handlers(conn -> in -> {
                in.skip(in.remaining());
                conn.output().write(answer, 0, answer.length);
                if (isClosing) conn.close();
                else conn.end();
            });
            Server server;
            if (network.random(3) > 0) server = Tcp.listen(shaken(network), handlers);
            else
                server = Tcp.serve(brisk(network).on(7).watermarks(1 << 20, 2 << 20), conn -> {
                    conn.read();
                    conn.output().write(answer, 0, answer.length);
                    if (isClosing) return;
                    conn.end();
                    while (conn.read()) conn.input().skip(conn.input().remaining());
                });
            var peer = network.connect(7).pause();
            network.advance(Duration.ofSeconds(1 + network.random(100)));
            peer.send("?");
            if (network.random(2) == 0) peer.end();
            network.advance(CLOSE_LIMIT.minus(MOMENT));
            assertEquals(1, server.connections());
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(0, server.connections());
            assertTrue(peer.isReset());
        });
    }

    /// Each time a little more than both sockets hold, so that the kernel takes something of the server, too.
    @Test
    void a_peer_that_takes_something_now_and_then_gets_all_of_it() {
        Simulation.forEachSeed(20, network -> {
            var answer = network.randomBytes(64 << 10);
            var handlers = Watched.handlers(conn -> in -> {
                in.skip(in.remaining());
                conn.output().write(answer, 0, answer.length);
                conn.close();
            });
            Tcp.listen(shaken(network), handlers);
            var peer = network.connect(7).pause().send("?");
            for (int enough = 9 << 10; enough < answer.length; enough = peer.receivedCount() + (9 << 10)) {
                network.advance(CLOSE_LIMIT.minus(MOMENT.multipliedBy(2)));
                peer.resume();
                for (int i = 0; i < 10_000 && peer.receivedCount() < enough; i++) network.advance(Duration.ofMillis(1));
                peer.pause();
            }
            peer.resume();
            network.run();
            assertArrayEquals(answer, peer.receivedBytes());
        });
    }

    @Test
    void a_write_timeout_says_how_long_a_close_may_take_and_so_does_a_close_timeout() {
        Simulation.forEachSeed(40, network -> {
            var answer = network.randomBytes(1 << 20);
            var handlers = Watched.handlers(conn -> in -> {
                in.skip(in.remaining());
                conn.output().write(answer, 0, answer.length);
                conn.close();
            });
            var limit = LIMIT.multipliedBy(5);
            var listen = shaken(network);
            Tcp.listen(network.random(2) == 0 ? listen.writeTimeout(limit) : listen.closeTimeout(limit), handlers);
            network.connect(7).pause().send("?");
            network.advance(limit.minus(MOMENT));
            assertEquals(List.of(), handlers.ends);
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(List.of("TimedOut"), handlers.ends);
        });
    }

    @Test
    void idle_moments_are_told_again_and_again() {
        Simulation.forEachSeed(40, network -> {
            var told = new int[1];
            Tcp.listen(
                    network.on(7).whenIdle(LIMIT, conn -> {
                        told[0]++;
                        conn.output().writeUtf8("ping");
                    }),
                    _ -> in -> in.skip(in.remaining()));
            var peer = network.connect(7);
            network.run();
            network.advance(ALMOST);
            assertEquals(0, told[0]);
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(1, told[0]);
            network.advance(LIMIT.multipliedBy(3));
            assertEquals(4, told[0]);
            assertEquals("ping".repeat(4), peer.received());
        });
    }

    /// A peer that is told something each second, says nothing of its own, and answers when it is asked.
    @Test
    void a_quiet_listener_in_a_busy_room_is_asked_in_time_and_stays() {
        Simulation.forEachSeed(40, network -> {
            var lines = Framing.lines(100);
            var ends = new ArrayList<String>();
            var room = new ArrayList<Messages<String>>();
            Tcp.listen(
                    shaken(network).readTimeout(LIMIT).whenReadIdle(LIMIT.dividedBy(3)),
                    Messages.over(lines, Codec.utf8(), peer -> new Asking(peer, room, ends)));
            for (int i = 0; i < 2; i++) {
                Tcp.connect(network.to(7), Messages.over(lines, Codec.utf8(), peer -> question -> {
                    if (question.equals("there?")) peer.send("here");
                }));
            }
            var mute = network.connect(7);
            for (int second = 0; second < 150; second++) {
                network.advance(Duration.ofSeconds(1));
                for (var member : room) member.send("news");
            }
            assertEquals(List.of("TimedOut"), ends);
            assertEquals(2, room.size());
            assertTrue(mute.isReset() && mute.received().contains("there?"));
        });
    }

    private record Asking(Messages<String> peer, List<Messages<String>> room, List<String> ends)
            implements MessageHandler<String> {
        Asking {
            room.add(peer);
        }

        @Override
        public void onMessage(String message) {
            assertEquals("here", message);
        }

        @Override
        public void onIdle(Messages<String> asked) {
            asked.send("there?");
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            room.remove(peer);
            ends.add(cause == null ? Watched.ORDERLY : cause.getClass().getSimpleName());
        }
    }

    /// Whatever is sent meanwhile, and whoever is asked: the handler where its calls run, or a function.
    @Test
    void silence_of_the_peer_is_told_again_and_again() {
        Simulation.forEachSeed(40, network -> {
            var told = new int[2];
            var listen = shaken(network);
            Tcp.listen(listen.whenReadIdle(LIMIT), Watched.handlers(conn -> new Handler() {
                @Override
                public void onInput(Input in) {
                    in.skip(in.remaining());
                }

                @Override
                public void onIdle(Connection idle) {
                    told[0]++;
                    conn.output().writeUtf8("ping");
                }
            }));
            Tcp.connect(
                    network.to(7).whenReadIdle(LIMIT.dividedBy(2), _ -> told[1]++), _ -> in -> in.skip(in.remaining()));
            network.run();
            for (int i = 0; i < 3; i++) {
                network.advance(LIMIT.minus(MOMENT));
            }
            assertTrue(told[0] >= 2 && told[1] >= 3, told[0] + " and " + told[1]);
        });
    }

    @Test
    void a_connect_without_an_answer_is_given_up_in_time() {
        Simulation.forEachSeed(40, network -> {
            var failures = new ArrayList<Throwable>();
            var attempt = Tcp.connect(network.silences(1).to(7).timeout(LIMIT), EchoSeedsTest.ECHO);
            attempt.whenComplete((_, failure) -> failures.add(failure));
            network.advance(LIMIT.minusMillis(1));
            assertEquals(List.of(), failures);
            network.advance(Duration.ofMillis(3));
            assertInstanceOf(TimedOut.class, failures.getFirst());
            assertEquals(1, failures.size());
        });
    }

    @Test
    void a_full_backlog_lets_clients_wait_until_they_are_accepted() {
        Simulation.forEachSeed(40, network -> {
            var server = Tcp.listen(network.on(7).backlog(1).maxConnections(1), EchoSeedsTest.ECHO);
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 6; i++)
                peers.add(network.connect(7).send("mine " + i).end());
            network.advance(Duration.ofSeconds(30));
            for (int i = 0; i < 6; i++) assertEquals("mine " + i, peers.get(i).received());
            assertEquals(0, server.connections());
        });
    }

    @Test
    void a_session_that_waits_too_long_hears_of_it() {
        Simulation.forEachSeed(40, SimulationSettings.standard().carriers(0.5), network -> {
            var heard = new ArrayList<Exception>();
            Tcp.serve(network.on(7).readTimeout(LIMIT), conn -> {
                heard.add(assertThrows(TimedOut.class, conn::read));
                throw heard.getFirst();
            });
            var peer = network.connect(7);
            network.advance(ALMOST);
            assertEquals(List.of(), heard);
            network.advance(MOMENT.multipliedBy(2));
            assertEquals(1, heard.size());
            assertTrue(peer.isReset());
        });
    }

    /// A peer that waits for its answer owes nothing, however long that takes.
    @Test
    void a_session_at_work_does_not_wait_for_its_peer() {
        assumeTrue(LoopThreads.canCarry());
        Simulation.forEachSeed(40, network -> {
            Tcp.serve(network.on(7).readTimeout(LIMIT), conn -> {
                conn.read();
                pass(conn, LIMIT.multipliedBy(5));
                conn.output().move(conn.input());
            });
            var peer = network.connect(7).send("x");
            network.advance(LIMIT.multipliedBy(5).plus(MOMENT));
            assertEquals("x", peer.received());
            assertFalse(peer.isReset());
        });
    }

    @Test
    void what_a_session_has_not_sent_yet_does_not_wait_for_its_peer() {
        assumeTrue(LoopThreads.canCarry());
        Simulation.forEachSeed(40, network -> {
            Tcp.serve(network.on(7).writeTimeout(LIMIT), conn -> {
                conn.output().writeUtf8("half, ");
                pass(conn, LIMIT.multipliedBy(5));
                conn.output().writeUtf8("whole");
            });
            var peer = network.connect(7);
            network.advance(LIMIT.multipliedBy(5).plus(MOMENT));
            assertEquals("half, whole", peer.received());
            assertFalse(peer.isReset());
        });
    }

    /// What a session waits for that is not its connection, the simulation sees with carriers alone.
    private static void pass(BlockingConnection conn, Duration time) throws InterruptedException {
        var over = new CountDownLatch(1);
        conn.loop().after(time, over::countDown);
        over.await();
    }

    @Test
    void who_has_closed_does_not_wait_for_ever_for_the_end_of_a_peer() {
        Simulation.forEachSeed(40, network -> {
            var handlers = Watched.handlers(conn -> in -> {
                in.skip(in.remaining());
                conn.output().writeUtf8("bye");
                conn.close();
            });
            Tcp.listen(shaken(network), handlers);
            var peer = network.connect(7).send("!");
            network.run();
            assertEquals("bye", peer.received());
            assertTrue(peer.isEnded());
            network.advance(Duration.ofSeconds(2));
            assertEquals(List.of(Watched.ORDERLY), handlers.ends);
        });
    }

    @Test
    void a_client_in_the_test_waits_in_virtual_time() {
        Simulation.forEachSeed(20, network -> {
            Tcp.listen(network.on(7), EchoSeedsTest.ECHO);
            assertThrows(Refused.class, () -> Tcp.connect(network.to(8)));
            try (var client = Tcp.connect(network.to(7).readTimeout(LIMIT))) {
                client.output().writeUtf8("hello");
                var heard = new StringBuilder();
                while (heard.length() < 5 && client.read())
                    heard.append(client.input().readUtf8(client.input().remaining()));
                assertEquals("hello", heard.toString());
                var before = network.now();
                assertThrows(TimedOut.class, client::read);
                assertFalse(network.now().minus(before).compareTo(ALMOST) < 0, "after " + network.now());
            }
        });
    }
}
