package io.millrace.proxy.announce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;
import io.millrace.proxy.announce.ProxyEvents.EventKind;
import io.millrace.proxy.announce.ProxyEvents.ProxyEvent;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The last events, by a clock of the test's.
class ProxyEventsTest {
    private long millis = 1_000_000;
    private final ProxyEvents events = new ProxyEvents(() -> Instant.ofEpochMilli(millis));
    private final Counting guard = new Counting();

    @Test
    void the_oldest_event_goes_when_there_is_one_too_many() {
        for (int i = 0; i <= ProxyEvents.MOST; i++) events.add(EventKind.BACKEND, false, "event " + i);
        assertEquals(ProxyEvents.MOST, events.all().size());
        assertEquals("event 1", events.all().getFirst().what());
        assertEquals("event 200", events.all().getLast().what());
    }

    @Test
    void a_flood_of_one_guard_is_one_event() {
        for (int second = 0; second < 300; second++) {
            millis += 1000;
            guard.acted("10.0.0.1:5", "too much");
            guard.acted("10.0.0.1:5", "too much");
            events.look(List.of(guard));
        }
        assertEquals(1, events.all().size());
        var event = events.all().getFirst();
        assertEquals(600, event.times());
        assertEquals(1_001_000, event.sinceMillis());
        assertEquals(millis, event.millis());
        assertEquals("10.0.0.1:5", event.who());
        assertEquals("guard test.guard acted: too much", event.what());
    }

    @Test
    void a_guard_that_acts_again_after_a_while_is_another_event() {
        guard.acted("10.0.0.1:5", "too much");
        events.look(List.of(guard));
        millis += 60_001;
        guard.acted("10.0.0.1:5", "too much");
        events.look(List.of(guard));
        assertEquals(2, events.all().size());
    }

    @Test
    void only_a_limit_that_does_not_act_every_day_is_trouble() {
        events.look(List.of(guard));
        guard.acted("10.0.0.1:5", "too much");
        var everyday = CountedGuard.declareEveryday("events-test.everyday", "what acts every day");
        everyday.acted("10.0.0.1:5", "gone");
        events.look(List.of(guard, everyday));
        assertEquals(
                List.of(true, false),
                events.all().stream().map(ProxyEvent::isTrouble).toList());
    }

    @Test
    void a_guard_that_two_pages_look_at_counts_once() {
        guard.acted("10.0.0.1:5", "too much");
        events.look(List.of(guard));
        long changes = events.changes();
        events.look(List.of(guard));
        assertEquals(changes, events.changes());
        assertEquals(1, events.all().getFirst().times());
    }

    @Test
    void each_event_is_a_change() {
        long before = events.changes();
        events.add(EventKind.CHANGE, false, "done", "10.0.0.1:5");
        assertNotEquals(before, events.changes());
    }

    @Test
    void a_long_text_is_cut() {
        events.add(EventKind.BACKEND, true, "x".repeat(100_000), "y".repeat(100_000));
        var event = events.all().getFirst();
        assertTrue(event.what().length() < 600 && event.who().length() < 600, event::toString);
    }

    private static final class Counting implements Guard {
        private long count;
        private String lastly = "";

        @Override
        public String name() {
            return "test.guard";
        }

        @Override
        public String limits() {
            return "things";
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public String lastly() {
            return lastly;
        }

        @Override
        public void acted(SocketAddress peer, String detail) {
            acted(peer.toString(), detail);
        }

        @Override
        public void acted(String whom, String detail) {
            count++;
            lastly = whom + ": " + detail;
        }
    }
}
