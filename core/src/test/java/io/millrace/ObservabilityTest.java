package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.loop.Guard;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What operators see: the watchdog's log line, and the flight recorder's events.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ObservabilityTest {
    private static final HandlerFactory BLOCKING = conn -> in -> {
        block();
        conn.output().move(in);
    };

    /// Until the watchdog has told of it, which is the last that it does.
    private static void block() {
        long before = Guard.STALL.count();
        until(() -> Guard.STALL.count() > before);
    }

    @ParameterizedTest
    @EnumSource
    void the_watchdog_reports_a_handler_that_blocks_with_its_stack(Loops kind) throws Exception {
        try (var log = CapturedLog.of("io.millrace.guard");
                var loops = kind.watched(Duration.ofMillis(50));
                var server = Tcp.listen(local(loops), BLOCKING);
                var peer = RawPeer.of(server)) {
            String line;
            do {
                // The guard writes one line a second at most, whoever it is about.
                peer.send("x").assertReads("x");
                line = log.linesSoFar().stream()
                        .filter(ObservabilityTest::isAboutBlock)
                        .findFirst()
                        .orElse("");
            } while (line.isEmpty());
            assertTrue(line.contains("move blocking work to Dispatch.virtual()"), line);
            assertTrue(loops.counters().getFirst().stalls() > 0);
        }
    }

    /// A busy machine stalls loops elsewhere, too.
    private static boolean isAboutBlock(String line) {
        return line.contains("turn.stall") && line.contains("ObservabilityTest.block");
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
                peerAddress = peer.socket().getLocalSocketAddress().toString();
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

    private static RecordedEvent find(LinkedBlockingQueue<RecordedEvent> events, String name, String part) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.millrace." + name))
                .filter(event -> event.toString().contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " about " + part + " in " + events));
    }
}
