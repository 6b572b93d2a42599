package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.loop.CoreGuards;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What operators see: the watchdog's log line, and the flight recorder's events.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ObservabilityTest {
    /// What the kernel does for the loop inside of its wait is work, too.
    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void a_loop_was_busy_for_all_the_processor_time_of_its_thread(Loops kind) throws Exception {
        Proc.assumeIsThere();
        HandlerFactory drops = conn -> in -> in.skip(in.remaining());
        try (var loops = kind.start(1);
                var server = Tcp.listen(TcpTest.local(loops), drops);
                var peer = RawPeer.of(server)) {
            long busyBefore = loops.counters().getFirst().busyNanos();
            long usedBefore = Proc.processorNanos("millrace-0");
            var bytes = new byte[1 << 20];
            for (int i = 0; i < 256; i++) peer.send(bytes);
            Eventually.until(() -> loops.counters().getFirst().bytesReceived() == 256L << 20);
            long used = Proc.processorNanos("millrace-0") - usedBefore;
            long busy = loops.counters().getFirst().busyNanos() - busyBefore;
            assertTrue(busy >= used, () -> busy + " ns busy, " + used + " ns of the processor");
        }
    }

    private static final long TOLD_BEFORE_NANOS = 2_000_000_000;

    private static final HandlerFactory BLOCKING = conn -> in -> {
        block();
        conn.output().move(in);
    };

    /// Until the watchdog has told of it, which is the last that it does; a turn that it has told of before is not
    /// told of again.
    private static void block() {
        long before = CoreGuards.STALL.count();
        long endNanos = System.nanoTime() + TOLD_BEFORE_NANOS;
        until(() -> CoreGuards.STALL.count() > before || System.nanoTime() - endNanos > 0);
    }

    @ParameterizedTest
    @EnumSource
    void the_watchdog_reports_a_handler_that_blocks_with_its_stack(Loops kind) throws Exception {
        try (var log = CapturedLog.of("io.millrace.guard");
                var loops = kind.watched(Duration.ofMillis(50))) {
            var line = firstStall(log, () -> Tcp.listen(local(loops), BLOCKING), "ObservabilityTest.block");
            assertTrue(line.contains("loop.blocking(…), or run the handlers with Dispatch.pool(n)"), line);
            // Neither is in use, and either would keep the loop as well.
            assertFalse(line.contains("Dispatch.virtual()") || line.contains("carriers"), line);
            assertTrue(loops.counters().getFirst().stalls() > 0);
        }
    }

    /// The line that shows a frame. The guard writes one line a second at most, whoever it is about; and code that has
    /// lost the loop keeps it no more, so each attempt is another server's.
    private static String firstStall(CapturedLog log, Supplier<Server> servers, String frame) throws IOException {
        while (true) {
            try (var server = servers.get();
                    var peer = RawPeer.of(server)) {
                peer.send("x").assertReads("x");
            }
            for (var line : log.linesSoFar()) {
                if (line.contains("turn.stall") && line.contains(frame)) return line;
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*WITHOUT_CARRIERS")
    void the_watchdog_shows_the_frames_of_a_session_that_computes(Loops kind) throws Exception {
        try (var log = CapturedLog.of("io.millrace.guard");
                var loops = kind.watched(Duration.ofMillis(50))) {
            Session computing = conn -> {
                while (conn.read()) {
                    computeUntilNoticed(loops);
                    conn.output().move(conn.input());
                }
            };
            var line =
                    firstStall(log, () -> Tcp.serve(local(loops), computing), "ObservabilityTest.computeUntilNoticed");
            assertTrue(line.contains("a session keeps the event loop"), line);
            assertTrue(line.contains("loop.blocking(…)") && line.contains("carriers(false)"), line);
            assertFalse(line.contains("Dispatch."), line);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*WITHOUT_CARRIERS")
    void the_watchdog_shows_the_frames_of_a_carried_call_that_computes(Loops kind) throws Exception {
        try (var log = CapturedLog.of("io.millrace.guard");
                var loops = kind.watched(Duration.ofMillis(50))) {
            HandlerFactory computing = conn -> in -> {
                computeUntilNoticed(loops);
                conn.output().move(in);
            };
            var line = firstStall(
                    log,
                    () -> Tcp.listen(local(loops).dispatch(Dispatch.virtual()), computing),
                    "ObservabilityTest.computeUntilNoticed");
            assertTrue(line.contains("a handler of Dispatch.virtual() keeps the event loop"), line);
            assertTrue(line.contains("take Dispatch.pool(n)") && line.contains("carriers(false)"), line);
        }
    }

    /// Keeps the thread until the watchdog has seen that, or has long seen something else in the same turn.
    private static void computeUntilNoticed(EventLoops loops) {
        long before = loops.counters().getFirst().stalls();
        long end = System.nanoTime() + 1_000_000_000;
        while (loops.counters().getFirst().stalls() == before && System.nanoTime() - end < 0) Thread.onSpinWait();
    }

    @ParameterizedTest
    @EnumSource
    void the_flight_recorder_sees_connections_come_and_go_long_turns_stalls_and_guards(Loops kind) throws Exception {
        try (var recorder = new RecordingStream()) {
            var events = new LinkedBlockingQueue<RecordedEvent>();
            for (var name : new String[] {"Accepted", "Closed", "Turn", "Stalled", "GuardActed"}) {
                recorder.enable("io.millrace." + name);
                recorder.onEvent("io.millrace." + name, events::add);
            }
            recorder.setReuse(false);
            recorder.startAsync();
            String peerAddress;
            try (var loops = kind.watched(Duration.ofMillis(50));
                    var server = Tcp.listen(local(loops).inputLimit(10), conn -> new Heard(conn) {
                        @Override
                        public void onInput(Input in) throws IOException {
                            block();
                        }
                    });
                    var peer = RawPeer.of(server)) {
                peerAddress = "127.0.0.1:" + peer.socket().getLocalPort();
                peer.send("more than the limit").assertReset();
            }
            recorder.stop();
            assertEquals(peerAddress, find(events, "Accepted", peerAddress).getString("peer"));
            var closed = find(events, "Closed", peerAddress);
            assertTrue(closed.getString("cause").contains("the handler left 19 bytes unread"));
            assertEquals(19, closed.getLong("received"));
            assertEquals("input.unread", find(events, "GuardActed", peerAddress).getString("guard"));
            assertTrue(
                    find(events, "Stalled", "millrace-0").getDuration("length").toMillis() >= 50);
            assertTrue(events.stream()
                    .filter(event -> event.getEventType().getName().equals("io.millrace.Turn"))
                    .anyMatch(event -> event.getDuration("length").toMillis() >= 50));
        }
    }

    @Test
    void the_flight_recorder_sees_the_loop_being_earned() throws Exception {
        try (var recorder = new RecordingStream()) {
            var events = new LinkedBlockingQueue<RecordedEvent>();
            recorder.enable("io.millrace.LoopEarned");
            recorder.onEvent("io.millrace.LoopEarned", events::add);
            recorder.setReuse(false);
            recorder.startAsync();
            try (var loops = Loops.NIO.setup().threads(1).earnAfter(10).start();
                    var server = Offenders.serve(loops, true, () -> {});
                    var peer = RawPeer.of(server)) {
                for (int i = 0; i < 1000; i++) peer.send("x").assertReads("x");
            }
            recorder.stop();
            var earned = find(events, "LoopEarned", "millrace-0");
            assertEquals("a session", earned.getString("what"));
            assertTrue(earned.getDuration("length").isPositive());
        }
    }

    private static RecordedEvent find(LinkedBlockingQueue<RecordedEvent> events, String name, String part) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.millrace." + name))
                .filter(event -> event.toString().contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " about " + part + " in " + events));
    }
}
