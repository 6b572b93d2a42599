package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.Tunnel;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopThreads;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a simulation promises to those who write tests with it.
class SimulationTest {
    @Test
    void a_handler_answers_a_peer() {
        try (var network = new Simulation(42)) {
            network.listen(7, EchoSeedsTest.ECHO);
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
            assertTrue(peer.isEnded());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_session_answers_a_peer(boolean carries) {
        try (var network = new Simulation(42, carriers(carries))) {
            network.serve(7, EchoSeedsTest.DIRECT_ECHO);
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
            assertTrue(peer.isEnded());
        }
    }

    @Test
    void a_client_in_callback_style_talks_to_a_peer_that_answers() {
        try (var network = new Simulation(42)) {
            var peers = new ArrayList<Peer>();
            network.answer(80, peer -> peers.add(peer.send("welcome").end()));
            var heard = new StringBuilder();
            Tcp.connect(network.to(80), conn -> {
                conn.output().writeUtf8("hello");
                return in -> heard.append(in.readUtf8(in.remaining()));
            });
            network.run();
            assertEquals("welcome", heard.toString());
            assertEquals("hello", peers.getFirst().received());
        }
    }

    // One seed, one run.

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_same_seed_is_the_same_run(boolean carries) {
        for (long seed = 1; seed <= 10; seed++) assertEquals(everything(seed, carries), everything(seed, carries));
    }

    @Test
    void how_long_code_takes_decides_nothing() {
        for (long seed = 1; seed <= 5; seed++) assertEquals(manyReads(seed, 0), manyReads(seed, 2_000_000));
    }

    /// A session that reads more often than it takes to earn its loop, and is slow now and then.
    private static long manyReads(long seed, long slowNanos) {
        var network = new Simulation(seed);
        try (network) {
            network.serve(7, conn -> {
                for (int reads = 0; conn.read(); reads++) {
                    conn.output().move(conn.input());
                    long untilNanos = System.nanoTime() + slowNanos;
                    while (reads % 100 == 0 && System.nanoTime() - untilNanos < 0) Thread.onSpinWait();
                }
            });
            var peer = network.connect(7);
            for (int i = 0; i < 3000; i++) {
                peer.send("x");
                network.run();
            }
            peer.end();
            network.run();
        }
        return network.fingerprint();
    }

    @Test
    void other_seeds_are_other_runs() {
        var runs = new HashSet<Long>();
        for (long seed = 1; seed <= 40; seed++) runs.add(everything(seed, true));
        assertEquals(40, runs.size());
    }

    /// A little of everything that may be different.
    private static long everything(long seed, boolean carries) {
        var network = new Simulation(seed, carriers(carries)).resets(0.2).refusals(0.1);
        try (network) {
            network.listen(7, EchoSeedsTest.ECHO);
            network.serve(8, EchoSeedsTest.DIRECT_ECHO);
            Tcp.listen(network.on(9).dispatch(Dispatch.pool(2)), EchoSeedsTest.ECHO);
            Tcp.listen(network.on(10).dispatch(Dispatch.virtual()), EchoSeedsTest.ECHO);
            network.listen(11, Tunnel.to(Simulation.address(8)).upstreamLoops(network.loops()));
            for (int port = 7; port <= 11; port++) {
                network.connect(port).send(network.randomBytes(2000)).end();
                network.connect(port).send(network.randomBytes(2000)).end();
            }
            network.run();
            network.advance(Duration.ofSeconds(1));
        }
        return network.fingerprint();
    }

    @Test
    void a_trace_tells_what_happened_when() {
        try (var network = new Simulation(1)) {
            network.listen(7, EchoSeedsTest.ECHO);
            network.connect(7).send("hello");
            network.run();
            var trace = String.join("\n", network.trace());
            for (var what : List.of("connect", "accepted", "send", "arrive", "received")) {
                assertTrue(trace.contains(what), trace);
            }
        }
    }

    // Time.

    @Test
    void running_does_not_wait_for_timers_and_advancing_does() {
        try (var network = new Simulation(1)) {
            var rung = new ArrayList<Duration>();
            network.loops().next().after(Duration.ofHours(1), () -> rung.add(network.now()));
            network.run();
            assertEquals(List.of(), rung);
            network.advance(Duration.ofMinutes(59));
            assertEquals(List.of(), rung);
            network.advance(Duration.ofMinutes(2));
            assertEquals(1, rung.size());
            assertEquals(Duration.ofMinutes(61), network.now());
            assertTrue(rung.getFirst().minusHours(1).compareTo(Duration.ofMillis(2)) < 0, rung + " is late");
        }
    }

    @Test
    void bandwidth_makes_bytes_take_their_time() {
        try (var network = new Simulation(1).bandwidth(1000)) {
            network.listen(7, EchoSeedsTest.ECHO);
            var peer = network.connect(7).send(new byte[5000]);
            network.run();
            assertEquals(5000, peer.receivedCount());
            assertTrue(network.now().compareTo(Duration.ofSeconds(5)) > 0, "took " + network.now());
        }
    }

    @Test
    void delays_are_kept() {
        try (var network = new Simulation(1)) {
            network.listen(7, EchoSeedsTest.ECHO);
            network.delays(Duration.ofSeconds(1), Duration.ofSeconds(1)).partialWrites(0);
            var peer = network.connect(7).send("x");
            network.advance(Duration.ofMillis(3999));
            assertEquals("", peer.received());
            network.advance(Duration.ofMillis(2));
            assertEquals("x", peer.received());
        }
    }

    // Threads.

    @Test
    void code_of_one_loop_is_not_in_another() {
        try (var network = new Simulation(3, SimulationSettings.standard().threads(2))) {
            var loops = new ArrayList<Loop>();
            network.listen(7, conn -> {
                loops.add(conn.loop());
                assert conn.loop().inLoop();
                assert loops.size() == 1 || !loops.getFirst().inLoop();
                return in -> conn.output().move(in);
            });
            network.connect(7);
            network.connect(7);
            network.run();
            assertNotEquals(loops.getFirst(), loops.getLast());
            assertFalse(loops.getFirst().inLoop());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void blocking_work_and_pools_run_aside_the_loops(boolean carries) {
        try (var network = new Simulation(3, carriers(carries))) {
            var loop = network.loops().next();
            var results = new ArrayList<Object>();
            loop.blocking(() -> {
                        assert !loop.inLoop();
                        return 42;
                    })
                    .thenAccept(result -> {
                        assert loop.inLoop();
                        results.add(result);
                    });
            network.run();
            assertEquals(List.of(42), results);
        }
    }

    @Test
    void sessions_may_wait_for_each_other() {
        try (var network = new Simulation(3)) {
            var words = new LinkedBlockingQueue<String>();
            network.serve(7, conn -> {
                while (conn.read()) words.put(conn.input().readUtf8(conn.input().remaining()));
                words.put(".");
            });
            network.serve(8, conn -> {
                String word;
                do {
                    word = words.take();
                    conn.output().writeUtf8(word);
                } while (!word.equals("."));
            });
            var hears = network.connect(8);
            network.run();
            network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello.", hears.received());
        }
    }

    /// They run aside the loops, as workers do, and when is luck: the seed's.
    @Test
    void threads_that_a_session_starts_are_part_of_the_run() {
        assumeTrue(LoopThreads.canCarry());
        assertEquals(runOfStarted(3), runOfStarted(3));
    }

    private static long runOfStarted(long seed) {
        try (var network = new Simulation(seed)) {
            network.serve(7, conn -> {
                try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
                    while (conn.read()) {
                        conn.input().skip(conn.input().remaining());
                        var meeting = new CyclicBarrier(2);
                        var first = tasks.submit(() -> startedBeside(conn.loop(), meeting));
                        var second = tasks.submit(() -> startedBeside(conn.loop(), meeting));
                        conn.output().writeUtf8(first.get() + second.get());
                    }
                }
            });
            var peers = List.of(network.connect(7).send("x"), network.connect(7).send("x"));
            network.run();
            for (var peer : peers) assertEquals("beside beside ", peer.received());
            for (var peer : peers) peer.end();
            network.run();
            return network.fingerprint();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a moment for the others
    private static String startedBeside(Loop loop, CyclicBarrier meeting) throws Exception {
        Thread.yield();
        boolean wasInLoop = loop.inLoop();
        meeting.await();
        return wasInLoop || loop.inLoop() ? "on the loop " : "beside ";
    }

    @Test
    void a_session_that_sleeps_fails_the_simulation() {
        var network = new Simulation(3);
        network.serve(7, conn -> {
            conn.read();
            Thread.sleep(60_000);
        });
        network.connect(7).send("hello");
        var failure = assertThrows(AssertionError.class, network::run);
        assertMentions(failure, "sleeps");
        assertMentions(failure, "new Simulation(3L)");
        assertStackShows(failure, "a_session_that_sleeps_fails_the_simulation");
        network.close();
    }

    @Test
    void a_task_from_a_thread_of_the_outside_fails_the_simulation() throws InterruptedException {
        var network = new Simulation(3);
        var connections = new ArrayList<Connection>();
        network.listen(7, conn -> {
            connections.add(conn);
            return in -> in.skip(in.remaining());
        });
        network.connect(7);
        network.run();
        var outsider = new Thread(() -> connections.getFirst().loop().execute(() -> {}), "outsider");
        outsider.start();
        outsider.join();
        var failure = assertThrows(AssertionError.class, network::run);
        assertMentions(failure, "outsider");
        assertStackShows(failure, "a_task_from_a_thread_of_the_outside_fails_the_simulation");
        network.close();
    }

    @Test
    void a_session_woken_by_a_thread_of_the_outside_fails_the_simulation() throws InterruptedException {
        var network = new Simulation(3);
        var latch = new CountDownLatch(1);
        network.serve(7, conn -> {
            conn.read();
            latch.await();
        });
        network.connect(7).send("hello");
        network.run();
        var outsider = new Thread(latch::countDown, "outsider");
        outsider.start();
        outsider.join();
        assertMentions(assertThrows(AssertionError.class, network::run), "outsider");
        network.close();
    }

    @Test
    void a_session_waits_for_a_monitor_of_the_outside() throws InterruptedException {
        assumeTrue(LoopThreads.canCarry());
        var monitor = new Object();
        var sessions = new ArrayBlockingQueue<Thread>(1);
        try (var network = new Simulation(3)) {
            network.serve(7, conn -> {
                conn.read();
                sessions.add(Thread.currentThread());
                synchronized (monitor) {
                    conn.output().writeUtf8("had it");
                }
                conn.flush();
            });
            var peer = network.connect(7).send("hello");
            var isHeld = new CountDownLatch(1);
            var outsider = new Thread(() -> holdUntilBlocked(monitor, isHeld, sessions));
            outsider.start();
            isHeld.await();
            network.run();
            assertEquals("had it", peer.received());
            outsider.join();
        }
    }

    private static void holdUntilBlocked(Object monitor, CountDownLatch isHeld, BlockingQueue<Thread> sessions) {
        synchronized (monitor) {
            isHeld.countDown();
            try {
                var session = sessions.take();
                while (session.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void waiting_for_the_simulation_inside_it_is_refused() {
        try (var network = new Simulation(3)) {
            var refusals = new ArrayList<Exception>();
            var server = network.listen(7, EchoSeedsTest.ECHO);
            network.loops().next().execute(() -> refusals.add(assertThrows(IllegalStateException.class, network::run)));
            network.run();
            assertEquals(1, refusals.size());
            server.close();
        }
    }

    @Test
    void a_client_that_waits_for_ever_hears_of_it() throws Exception {
        try (var network = new Simulation(3)) {
            network.answer(7, _ -> {});
            var client = Tcp.connect(network.to(7));
            var failure = assertThrows(IllegalStateException.class, client::read);
            assertMentions(failure, "for ever");
        }
    }

    // Failing.

    @Test
    void a_leaked_slab_fails_the_simulation() {
        var network = new Simulation(3, SimulationSettings.standard().threads(1));
        network.listen(7, conn -> {
            ((EventLoop) conn.loop()).pool().takeForReceive();
            return in -> conn.output().move(in);
        });
        network.connect(7);
        network.run();
        var failure = assertThrows(AssertionError.class, network::close);
        assertMentions(failure, "1 slabs of simulated-0 were not returned");
        assertMentions(failure, "new Simulation(3L)");
    }

    @Test
    void a_session_that_outlives_its_connection_fails_the_simulation() {
        var network = new Simulation(3);
        var isOver = new boolean[1];
        network.serve(7, _ -> {
            while (!isOver[0]) {
                LockSupport.park();
                Thread.interrupted();
            }
        });
        network.connect(7);
        network.run();
        var failure = assertThrows(AssertionError.class, network::close);
        assertMentions(failure, "still runs");
        assertStackShows(failure, "a_session_that_outlives_its_connection_fails_the_simulation");
        isOver[0] = true;
    }

    @Test
    void an_assertion_in_a_handler_fails_the_simulation() {
        var network = new Simulation(3);
        var mistake = new AssertionError("not what I expected");
        network.listen(7, _ -> _ -> {
            throw mistake;
        });
        network.connect(7).send("hello");
        var failure = assertThrows(AssertionError.class, network::run);
        assertSame(mistake, failure.getCause());
        assertMentions(failure, "not what I expected");
        network.close();
    }

    @Test
    void a_port_in_use_is_named() {
        try (var network = new Simulation(3)) {
            network.listen(7, EchoSeedsTest.ECHO);
            var failure = assertThrows(UncheckedIOException.class, () -> network.listen(7, EchoSeedsTest.ECHO));
            assertMentions(failure, ":7");
            assertMentions(failure, "in use");
            assertThrows(UncheckedIOException.class, () -> network.answer(7, _ -> {}));
        }
    }

    @Test
    void conditions_out_of_range_are_named() {
        var network = new Simulation(3);
        assertMentions(assertThrows(IllegalArgumentException.class, () -> network.resets(1.5)), "1.5");
        assertMentions(assertThrows(IllegalArgumentException.class, () -> network.chunks(0, 5)), "0 to 5");
        assertMentions(assertThrows(IllegalArgumentException.class, () -> network.buffers(9, 5)), "9 to 5");
        assertMentions(assertThrows(IllegalArgumentException.class, () -> network.bandwidth(0)), "0 bytes/s");
    }

    @Test
    void settings_out_of_range_are_named() {
        var settings = SimulationSettings.standard();
        assertMentions(assertThrows(IllegalArgumentException.class, () -> settings.threads(0)), "0 to 0 event loops");
        assertMentions(assertThrows(IllegalArgumentException.class, () -> settings.threads(3, 2)), "3 to 2");
        assertMentions(assertThrows(IllegalArgumentException.class, () -> settings.memory(1)), "1 bytes");
        assertMentions(assertThrows(IllegalArgumentException.class, () -> settings.carriers(-0.5)), "-0.5");
    }

    private static SimulationSettings carriers(boolean on) {
        return SimulationSettings.standard().carriers(on ? 1 : 0);
    }

    // Peers.

    @Test
    void a_peer_that_nobody_wants_is_refused() {
        try (var network = new Simulation(3)) {
            var peer = network.connect(7).send("hello");
            network.run();
            assertTrue(peer.isRefused());
            assertFalse(peer.isOpen());
        }
    }

    @Test
    void a_paused_peer_makes_the_other_side_wait() {
        try (var network = new Simulation(3).buffers(1000, 1000)) {
            var words = network.randomBytes(100_000);
            network.listen(7, conn -> {
                conn.output().write(words, 0, words.length);
                return in -> in.skip(in.remaining());
            });
            var peer = network.connect(7).pause();
            network.run();
            assertEquals(0, peer.receivedCount());
            peer.resume();
            network.run();
            assertArrayEquals(words, peer.receivedBytes());
        }
    }

    @Test
    void a_peer_that_has_ended_sends_no_more() {
        try (var network = new Simulation(3)) {
            var peer = network.connect(7).end();
            assertMentions(assertThrows(IllegalStateException.class, () -> peer.send("more")), "ended");
        }
    }

    // Seeds.

    @Test
    void a_seed_that_fails_is_named_with_what_repeats_it() {
        var failure = assertThrows(
                AssertionError.class,
                () -> withProperties(
                        Map.of(),
                        () -> Simulation.forEachSeed(50, network -> assertFalse(network.seed() == 7, "unlucky"))));
        assertMentions(failure, "seed 7: unlucky");
        assertMentions(
                failure, "-Dtest='SimulationTest#a_seed_that_fails_is_named_with_what_repeats_it' -Dmillrace.seed=7");
    }

    @Test
    void seeds_come_from_the_command_line() {
        assertEquals(List.of(17L), seedsWith(Map.of("millrace.seed", "17")));
        assertEquals(List.of(1L, 2L, 3L, 4L), seedsWith(Map.of("millrace.seeds", "4")));
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), seedsWith(Map.of("millrace.seeds", "3x")));
        assertEquals(List.of(1L), seedsWith(Map.of("millrace.seeds", "0.5x")));
        assertEquals(List.of(1L), seedsWith(Map.of("millrace.seeds", "0.1x")));
        assertEquals(List.of(5000L, 5001L), seedsWith(Map.of("millrace.seeds.first", "5000")));
        assertEquals(List.of(-1L, 0L, 1L), seedsWith(Map.of("millrace.seeds.first", "-1", "millrace.seeds", "3")));
        var failure = assertThrows(IllegalArgumentException.class, () -> seedsWith(Map.of("millrace.seed", "lucky")));
        assertMentions(failure, "-Dmillrace.seed=lucky");
        failure = assertThrows(IllegalArgumentException.class, () -> seedsWith(Map.of("millrace.seeds", "halfx")));
        assertMentions(failure, "-Dmillrace.seeds=halfx");
    }

    @Test
    void no_seed_at_all_is_refused() {
        assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> withProperties(Map.of(), () -> Simulation.forEachSeed(0, _ -> {}))),
                "0 seeds");
        assertMentions(
                assertThrows(IllegalArgumentException.class, () -> seedsWith(Map.of("millrace.seeds", "-3"))),
                "-3 seeds");
    }

    private static List<Long> seedsWith(Map<String, String> properties) {
        var seeds = new ArrayList<Long>();
        withProperties(properties, () -> Simulation.forEachSeed(2, network -> seeds.add(network.seed())));
        return seeds;
    }

    /// Whatever seeds this run was given itself.
    private static void withProperties(Map<String, String> properties, Runnable action) {
        var before = new HashMap<String, String>();
        for (var name : List.of("millrace.seed", "millrace.seeds", "millrace.seeds.first")) {
            var value = System.clearProperty(name);
            if (value != null) before.put(name, value);
        }
        System.getProperties().putAll(properties);
        try {
            action.run();
        } finally {
            System.getProperties().keySet().removeAll(properties.keySet());
            System.getProperties().putAll(before);
        }
    }

    private static void assertMentions(Throwable failure, String what) {
        assertTrue(String.valueOf(failure.getMessage()).contains(what), failure.toString());
    }

    private static void assertStackShows(Throwable failure, String method) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            for (var frame : cause.getStackTrace()) {
                if (frame.getMethodName().contains("lambda$" + method)) return;
            }
        }
        throw new AssertionError("no stack shows " + method, failure);
    }
}
