package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.codec.ReconnectSettings;
import io.millrace.codec.Reconnected;
import io.millrace.codec.Reconnecting;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Backoff;
import io.millrace.net.Reset;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// A client that connects again, in virtual time.
class ReconnectingTest {
    private static final int PORT = 7;
    private static final Framing LINES = Framing.lines(1000);
    private static final Backoff WITHOUT_LUCK =
            Backoff.of(Duration.ofMillis(500), Duration.ofSeconds(4)).luck(() -> 1);
    private static final ReconnectSettings SETTINGS =
            ReconnectSettings.standard().backoff(WITHOUT_LUCK);

    private final List<Reconnected> before = new ArrayList<>();
    private final List<String> received = new ArrayList<>();
    private final List<Messages<String>> served = new ArrayList<>();

    /// Says "subscribe" first.
    private Reconnecting<String> client(Simulation network, ReconnectSettings settings) {
        return Reconnecting.messages(network.to(PORT), LINES, Codec.utf8(), settings, (peer, past) -> {
            before.add(past);
            peer.send("subscribe");
            return _ -> {};
        });
    }

    private Server server(Simulation network) {
        return Tcp.listen(network.on(PORT), Messages.over(LINES, Codec.utf8(), peer -> {
            served.add(peer);
            return (MessageHandler<String>) received::add;
        }));
    }

    private List<String> received(Simulation network) {
        network.advance(Duration.ofSeconds(10));
        var all = List.copyOf(received);
        received.clear();
        return all;
    }

    @Test
    void what_is_sent_while_it_is_away_follows_the_new_subscription() {
        try (var network = new Simulation(1);
                var _ = server(network);
                var client = client(network, SETTINGS)) {
            client.send("one");
            assertEquals(List.of("subscribe", "one"), received(network));
            served.getFirst().abort();
            network.run();
            assertFalse(client.isConnected());
            client.send("two");
            client.send("three");
            assertEquals(List.of("subscribe", "two", "three"), received(network));
            assertTrue(client.isConnected());
            assertEquals(List.of(0, 1), before.stream().map(Reconnected::times).toList());
            assertTrue(before.getLast().away().toMillis() >= 500, before::toString);
        }
    }

    /// Takes so many messages, and is lost then.
    private record ShortLine(List<String> taken, int most) implements Reconnecting.Line<String> {
        @Override
        public boolean send(String message) {
            return taken.size() < most && taken.add(message);
        }

        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public void close() {}
    }

    @Test
    void what_a_line_does_not_take_any_more_waits_for_the_next_one() {
        var taken = new ArrayList<String>();
        try (var network = new Simulation(1)) {
            var loop = network.loops().next();
            try (var client = Reconnecting.<String>start("a test", loop, SETTINGS, attempt -> {
                before.add(attempt.before().orElseThrow());
                var lost = new Reset("lost");
                if (before.size() == 1) {
                    attempt.over(lost);
                } else {
                    attempt.opened(new ShortLine(taken, before.size()));
                    loop.after(Duration.ofSeconds(1), () -> attempt.over(lost));
                }
            })) {
                for (int i = 1; i <= 5; i++) client.send("m" + i);
                network.advance(Duration.ofSeconds(60));
            }
            assertEquals(List.of("m1", "m2", "m3", "m4", "m5"), taken);
            assertEquals(0, before.stream().mapToLong(Reconnected::missed).sum());
        }
    }

    /// When it tries, in tenths of a second, if each attempt ends after some time.
    private static List<Long> attempts(Duration lasting) {
        var times = new ArrayList<Long>();
        try (var network = new Simulation(1)) {
            var loop = network.loops().next();
            var line = new Reconnecting.Line<String>() {
                @Override
                public boolean send(String message) {
                    return true;
                }

                @Override
                public boolean isFull() {
                    return false;
                }

                @Override
                public void close() {}
            };
            try (var _ = Reconnecting.<String>start("a test", loop, SETTINGS, attempt -> {
                times.add(network.now().toMillis() / 100);
                if (lasting.isZero()) {
                    attempt.over(new Reset("refused"));
                } else {
                    attempt.opened(line);
                    loop.after(lasting, () -> attempt.over(new Reset("lost")));
                }
            })) {
                network.advance(Duration.ofSeconds(60));
            }
        }
        return times;
    }

    @Test
    void the_time_between_attempts_doubles_up_to_the_longest() {
        assertEquals(
                List.of(0L, 5L, 15L, 35L, 75L, 115L), attempts(Duration.ZERO).subList(0, 6));
    }

    @Test
    void a_server_that_drops_each_connection_is_left_alone_longer_and_longer() {
        assertEquals(
                List.of(0L, 15L, 35L, 65L, 115L),
                attempts(Duration.ofSeconds(1)).subList(0, 5));
    }

    @Test
    void a_connection_that_has_lasted_begins_anew() {
        assertEquals(
                List.of(0L, 125L, 250L, 375L), attempts(Duration.ofSeconds(12)).subList(0, 4));
    }

    @Test
    void of_too_many_messages_the_oldest_are_dropped_and_told() {
        long acted = CoreGuards.RECONNECT_MESSAGES.count();
        try (var network = new Simulation(1)) {
            network.refuse(PORT);
            try (var client = client(network, SETTINGS.messages(3))) {
                network.run();
                assertFalse(client.isFull());
                for (int i = 1; i <= 5; i++) assertTrue(client.send("m" + i));
                assertTrue(client.isFull());
                assertEquals(acted + 2, CoreGuards.RECONNECT_MESSAGES.count());
                network.heal();
                try (var _ = server(network)) {
                    assertEquals(List.of("subscribe", "m3", "m4", "m5"), received(network));
                    assertEquals(2, before.getFirst().missed());
                }
            }
        }
    }

    @Test
    void what_waits_is_sent_as_fast_as_the_peer_reads() {
        try (var network = new Simulation(1)) {
            network.refuse(PORT);
            var settings = SETTINGS.messages(10_000);
            var to = network.to(PORT).watermarks(1000, 2000).outputLimit(20_000);
            try (var client = Reconnecting.messages(
                    to, LINES, Codec.utf8(), settings, (_, _) -> (MessageHandler<String>) _ -> {})) {
                var all = IntStream.range(0, 5000).mapToObj(i -> "message " + i).toList();
                all.forEach(client::send);
                network.heal();
                network.buffers(100, 100);
                try (var _ = server(network)) {
                    network.advance(Duration.ofMinutes(5));
                    assertEquals(all, received);
                    assertEquals(1, served.size());
                }
            }
        }
    }

    @Test
    void a_client_that_was_closed_does_not_come_back() {
        try (var network = new Simulation(1);
                var _ = server(network)) {
            var client = client(network, SETTINGS);
            client.send("last");
            network.run();
            client.close();
            assertFalse(client.send("too late"));
            assertEquals(List.of("subscribe", "last"), received(network));
            assertEquals(1, served.size());
            assertTrue(client.ended().toCompletableFuture().isDone());
        }
    }

    @Test
    void a_client_that_was_closed_while_it_connects_opens_nothing() {
        try (var network = new Simulation(1).delays(Duration.ofSeconds(1), Duration.ofSeconds(1));
                var server = server(network)) {
            var client = client(network, SETTINGS);
            network.advance(Duration.ofMillis(500));
            client.close();
            network.advance(Duration.ofMinutes(1));
            assertEquals(List.of(), before);
            assertEquals(1, served.size(), "it was connecting");
            assertEquals(0, server.connections());
        }
    }

    @Test
    void what_was_missed_is_told_to_the_first_connection_whose_handler_opens() {
        try (var network = new Simulation(1)) {
            network.refuse(PORT);
            try (var client =
                    Reconnecting.messages(network.to(PORT), LINES, Codec.utf8(), SETTINGS.messages(3), (_, past) -> {
                        before.add(past);
                        if (before.size() == 1) throw new IllegalStateException("expected by a test");
                        return (MessageHandler<String>) _ -> {};
                    })) {
                for (int i = 1; i <= 5; i++) client.send("m" + i);
                network.heal();
                try (var _ = server(network)) {
                    assertEquals(List.of("m3", "m4", "m5"), received(network));
                    served.getLast().abort();
                    network.advance(Duration.ofSeconds(10));
                }
                assertEquals(
                        List.of(2L, 2L, 0L),
                        before.stream().map(Reconnected::missed).toList());
            }
        }
    }

    @Test
    void the_log_says_once_that_it_is_away_and_once_that_it_is_back() {
        try (var log = CapturedLog.of("io.millrace.reconnect");
                var network = new Simulation(1)) {
            network.refuse(PORT);
            try (var client = client(network, SETTINGS)) {
                network.advance(Duration.ofMinutes(1));
                network.heal();
                try (var _ = server(network)) {
                    network.advance(Duration.ofMinutes(1));
                    served.getFirst().abort();
                    network.advance(Duration.ofMinutes(1));
                }
                assertTrue(client.isConnected());
            }
            var lines = log.news();
            assertEquals(4, lines.size(), lines::toString);
            var address = String.valueOf(network.to(PORT));
            for (int i = 0; i < 4; i++) {
                var news = i % 2 == 0 ? ": no connection (" : ": connected again";
                assertTrue(lines.get(i).contains("INFO: messages of " + address + news), lines::toString);
            }
        }
    }

    @Test
    void who_cannot_say_whether_it_goes_on_ends_it() {
        try (var network = new Simulation(1)) {
            network.refuse(PORT);
            var settings = SETTINGS.goesOn(_ -> {
                throw new IllegalStateException("expected by a test");
            });
            try (var client = client(network, settings)) {
                network.advance(Duration.ofMinutes(1));
                var failure = client.ended().toCompletableFuture().exceptionNow();
                assertEquals("expected by a test", failure.getMessage());
            }
        }
    }

    @Test
    void a_failure_that_does_not_pass_ends_it() {
        try (var network = new Simulation(1)) {
            network.refuse(PORT);
            try (var log = CapturedLog.of("io.millrace.reconnect");
                    var client = client(network, SETTINGS.goesOn(_ -> false))) {
                network.advance(Duration.ofMinutes(1));
                assertTrue(client.ended().toCompletableFuture().isCompletedExceptionally());
                assertFalse(client.send("too late"));
                assertEquals(1, log.news().size());
                assertTrue(log.news().getFirst().contains("WARNING: messages of " + network.to(PORT)));
            }
        }
    }

    @Test
    void whatever_breaks_messages_keep_their_order_and_none_comes_twice() {
        Simulation.forEachSeed(40, network -> {
            received.clear();
            network.resets(0.5).refusals(0.2);
            try (var _ = server(network);
                    var client = client(network, ReconnectSettings.standard().backoff(WITHOUT_LUCK))) {
                int sent = 0;
                for (int round = 0; round < 20; round++) {
                    for (int count = network.random(10); count > 0; count--) client.send("" + sent++);
                    network.advance(Duration.ofMillis(network.random(1500)));
                }
                network.advance(Duration.ofMinutes(1));
                var numbers = received.stream()
                        .filter(line -> !line.equals("subscribe"))
                        .map(Integer::valueOf)
                        .toList();
                assertEquals(numbers.stream().sorted().distinct().toList(), numbers);
            }
        });
    }
}
