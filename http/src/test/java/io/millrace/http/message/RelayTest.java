package io.millrace.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.millrace.http.Headers;
import io.millrace.http.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Who offers a takeover has given something for it, and must hear what becomes of it.
class RelayTest {
    private final List<String> told = new ArrayList<>();
    private final Relay relay = new Relay(Optional.empty(), () -> told.add("gone"));
    private final Takeover takeover = new Takeover() {
        @Override
        public int status() {
            return 101;
        }

        @Override
        public Headers headers() {
            return Headers.EMPTY;
        }

        @Override
        public void begin(Peer peer) {
            told.add("begun");
        }

        @Override
        public void abort() {
            told.add("aborted");
        }
    };

    @Test
    void a_takeover_that_the_server_takes_is_the_servers() {
        relay.opened(() -> told.add("news"));
        relay.upgrade(takeover);
        assertSame(takeover, relay.takeTakeover());
        assertNull(relay.takeTakeover());
        relay.gone();
        assertEquals(List.of("news", "gone"), told);
    }

    @Test
    void one_that_no_server_waits_for_is_aborted_when_the_exchange_is_over() {
        relay.upgrade(takeover);
        relay.exchangeIsOver();
        relay.exchangeIsOver();
        assertEquals(List.of("gone", "aborted"), told);
    }

    @Test
    void one_of_the_response_that_is_sent_outlasts_the_exchange() {
        relay.opened(() -> told.add("news"));
        relay.upgrade(takeover);
        assertSame(takeover, relay.takeTakeover());
        relay.exchangeIsOver();
        assertEquals(List.of("news"), told);
    }

    @Test
    void one_that_nobody_has_taken_when_the_peer_leaves_is_aborted() {
        relay.opened(() -> told.add("news"));
        relay.upgrade(takeover);
        relay.gone();
        assertNull(relay.takeTakeover());
        assertEquals(List.of("news", "gone", "aborted"), told);
    }

    @Test
    void one_that_comes_when_the_peer_has_left_is_aborted() {
        relay.opened(() -> told.add("news"));
        relay.gone();
        relay.upgrade(takeover);
        assertNull(relay.takeTakeover());
        assertEquals(List.of("gone", "aborted"), told);
    }

    @Test
    void one_that_comes_behind_a_response_is_aborted() {
        relay.respond(Response.status(504));
        relay.upgrade(takeover);
        assertNull(relay.takeTakeover());
        assertEquals(List.of("aborted"), told);
    }
}
