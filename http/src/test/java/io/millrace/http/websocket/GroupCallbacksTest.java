package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What handlers, listeners and a welcome send while a message is delivered: the loop is one sender, and each
/// member gets what it sends in its order.
@Tag("simulation")
class GroupCallbacksTest {
    private static final int MOST_SAID = 400;
    private static final int LINES = 7;

    /// WebSockets and connections of lines on one loop, whose handlers say something at each call. What they say
    /// are numbers that count.
    private static final class World {
        private static final WebSocketSettings NARROW = WebSocketSettings.standard()
                .queueBytes(300)
                .pingAfter(Duration.ZERO)
                .idleTimeout(Duration.ZERO);

        final Simulation network;
        final Group<String> group = new Group<>(GroupSettings.standard().history(1000));
        final List<Predicate<String>> members = new ArrayList<>();
        int said;
        int ended;

        World(Simulation network) {
            this.network = network;
            group.onPresence(_ -> say());
            var on = network.on(SimulatedSocket.PORT).watermarks(100, 200);
            AnyDispatch.serve(on, Dispatch.loop(), (HttpHandler) this::open);
            Tcp.listen(
                    network.on(LINES).watermarks(100, 200).outputLimit(1000),
                    Messages.over(Framing.lines(1000), Codec.utf8(), this::open));
        }

        private MessageHandler<String> open(Messages<String> peer) {
            members.add(peer::send);
            group.join(peer, Joining.as("u" + network.random(3)));
            return new MessageHandler<>() {
                @Override
                public void onMessage(String line) {
                    say();
                }

                @Override
                public void onWritable() {
                    say();
                }

                @Override
                public void onClose(@Nullable IOException cause) {
                    ended++;
                    say();
                }
            };
        }

        private Response open(Request request) {
            return WebSocket.accept(request, NARROW, socket -> {
                // Asked whether it is full, it tells when there is room.
                members.add(text -> {
                    var _ = socket.isFull();
                    return socket.send(text);
                });
                group.join(socket, Joining.as("u" + network.random(3)));
                return new WebSocketHandler() {
                    @Override
                    public void onText(String text) {
                        say();
                    }

                    @Override
                    public void onWritable() {
                        say();
                    }

                    @Override
                    public void onClose(int code, String reason) {
                        ended++;
                        say();
                    }
                };
            });
        }

        private void say() {
            for (int count = 1 + network.random(3); count > 0 && said < MOST_SAID; count--) {
                switch (network.random(4)) {
                    case 0 -> {
                        var _ = members.get(network.random(members.size())).test(next());
                    }
                    case 1 -> group.send("u" + network.random(3), next());
                    default -> group.broadcast(next());
                }
            }
        }

        private String next() {
            return said++ + " " + "x".repeat(network.random(100)) + ".";
        }
    }

    @Test
    void what_is_sent_in_a_callback_of_a_delivery_stays_behind_what_is_delivered() {
        var ended = new ArrayList<Integer>();
        Simulation.forEachSeed(100, SimulationSettings.standard().threads(1), network -> {
            var world = new World(network);
            var sockets = new ArrayList<SimulatedSocket>();
            var lines = new ArrayList<Peer>();
            for (int i = 0; i < 5; i++) {
                sockets.add(SimulatedSocket.ask(network));
                lines.add(network.connect(LINES));
            }
            network.buffers(100, 200);
            for (int i = 0; i < 60; i++) {
                int who = network.random(5);
                boolean isLine = network.random(2) == 0;
                var peer = isLine ? lines.get(who) : sockets.get(who).peer;
                int what = network.random(20);
                if (!peer.isOpen()) continue;
                if (what == 0) peer.abort();
                else if (what < 5) peer.pause();
                else if (what < 9) peer.resume();
                else if (isLine) peer.send("go\n");
                else sockets.get(who).text("go");
                if (network.random(4) == 0) network.advance(Duration.ofMillis(network.random(20)));
            }
            network.advance(Duration.ofSeconds(10));
            for (var socket : sockets) assertCounts(socket.texts());
            for (var peer : lines)
                assertCounts(peer.received()
                        .lines()
                        .filter(line -> line.endsWith("."))
                        .toList());
            ended.add(world.ended);
        });
        assertTrue(ended.stream().anyMatch(count -> count > 0), "no member was too slow");
    }

    private static void assertCounts(List<String> texts) {
        var numbers = texts.stream()
                .map(text -> Integer.valueOf(text.split(" ", -1)[0]))
                .toList();
        assertEquals(numbers.stream().sorted().distinct().toList(), numbers);
    }

    @Test
    void who_joins_gets_what_its_own_welcome_sends() {
        try (var network = new Simulation(1, SimulationSettings.standard().threads(1))) {
            var group = new Group<String>(GroupSettings.standard().history(10));
            group.welcome(_ -> {
                group.broadcast("somebody comes");
                return "welcome";
            });
            AnyDispatch.serve(network.on(SimulatedSocket.PORT), Dispatch.loop(), (HttpHandler) request ->
                    WebSocket.accept(request, socket -> {
                        group.join(socket, Joining.anonymous().last(10));
                        group.broadcast("here");
                        return _ -> {};
                    }));
            var first = SimulatedSocket.ask(network);
            var second = SimulatedSocket.ask(network);
            assertEquals(List.of("welcome", "somebody comes", "here", "somebody comes", "here"), first.texts());
            assertEquals(List.of("somebody comes", "here", "welcome", "somebody comes", "here"), second.texts());
        }
    }
}
