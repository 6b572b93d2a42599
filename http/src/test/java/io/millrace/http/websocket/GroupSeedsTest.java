package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.GroupMember;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.codec.Messages;
import io.millrace.codec.Presence;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.ws.RawFrame;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Groups with members of all kinds, who come, speak, leave, close and die at any moment, on networks of many
/// kinds: what a member hears of a speaker is a run without a gap, in order, and who stays hears the end.
@Tag("simulation")
class GroupSeedsTest {
    private static final int MESSAGES = 7;
    private static final Framing LINES = Framing.lines(1000);
    private static final Pattern DATA = Pattern.compile("(?m)^data: (.*)$");

    /// A group, its servers, and who has said how much.
    private static final class World {
        final Simulation network;
        final Group<String> group;
        final List<Presence> told = new ArrayList<>();
        final Map<String, GroupMember<String>> members = new HashMap<>();
        final List<Client> clients = new ArrayList<>();
        private final int keeps;

        World(Simulation network, int keeps) {
            this.network = network;
            this.keeps = keeps;
            this.group = new Group<>(
                    keeps == 0
                            ? GroupSettings.standard()
                            : GroupSettings.standard().history(keeps));
            group.onPresence(told::add);
            var _ = AnyDispatch.serve(
                    network.on(SimulatedSocket.PORT), anyDispatch(network), (HttpHandler) this::answer);
            var _ = Tcp.listen(
                    network.on(MESSAGES).dispatch(anyDispatch(network)),
                    Messages.over(LINES, Codec.utf8(), peer -> line -> {
                        if (line.startsWith("I am ")) join(line.substring(5), peer);
                        else heard(line);
                    }));
        }

        private Response answer(Request request) {
            if (!request.path().equals("/events"))
                return WebSocket.accept(request, socket -> text -> {
                    if (text.startsWith("I am ")) join(text.substring(5), socket);
                    else heard(text);
                });
            return Response.events(stream -> join(request.parameter("name").orElseThrow(), stream));
        }

        private void join(String name, GroupMember<String> member) {
            synchronized (members) {
                members.put(name, member);
            }
            group.join(member, Joining.as(user(name)).last(keeps));
        }

        /// Two connections are one user's.
        static String user(String name) {
            return "u" + Integer.parseInt(name) / 2;
        }

        /// `leave 3`, or a number that its speaker counts.
        private void heard(String text) {
            if (!text.startsWith("leave ")) {
                group.broadcast(text);
                return;
            }
            GroupMember<String> member;
            synchronized (members) {
                member = members.get(text.substring(6));
            }
            if (member != null) group.leave(member);
        }
    }

    private static Dispatch anyDispatch(Simulation network) {
        return switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(2);
        };
    }

    /// A member's other end.
    private static final class Client {
        final String name;
        final Peer peer;
        private final int kind;
        int said;
        boolean hasLeft;

        Client(World world, String name) {
            this.name = name;
            this.kind = world.network.random(3);
            if (kind == 0) {
                var socket = SimulatedSocket.ask(world.network);
                peer = socket.peer;
                say("I am " + name);
            } else if (kind == 1) {
                peer = world.network.connect(MESSAGES).send("I am " + name + "\n");
            } else {
                peer = world.network.connect(SimulatedSocket.PORT);
                peer.send("GET /events?name=" + name + " HTTP/1.1\r\nHost: a\r\n\r\n");
            }
        }

        boolean stays() {
            return peer.isOpen() && !hasLeft;
        }

        boolean canSpeak() {
            return kind < 2 && stays();
        }

        void speak() {
            say(name + " " + said++);
        }

        void say(String text) {
            if (kind == 1) peer.send(text + "\n");
            else peer.send(RawFrame.masked(0x81, text));
        }

        List<String> heard() {
            return switch (kind) {
                case 0 -> SimulatedSocket.texts(peer.receivedBytes());
                case 1 -> wholeLines().lines().toList();
                default ->
                    DATA.matcher(wholeLines())
                            .results()
                            .map(found -> found.group(1).strip())
                            .toList();
            };
        }

        private String wholeLines() {
            var all = peer.received();
            return all.substring(0, all.lastIndexOf('\n') + 1);
        }

        Map<String, List<Integer>> bySpeaker() {
            var heard = new HashMap<String, List<Integer>>();
            for (var text : heard()) {
                var words = text.split(" ", -1);
                heard.computeIfAbsent(words[0], _ -> new ArrayList<>()).add(Integer.valueOf(words[1]));
            }
            return heard;
        }
    }

    private static void live(World world, int steps) {
        for (int i = 0; i < steps; i++) {
            act(world);
            if (world.network.random(4) == 0) world.network.advance(Duration.ofMillis(world.network.random(30)));
        }
        world.network.advance(Duration.ofSeconds(10));
    }

    private static void act(World world) {
        var network = world.network;
        if (world.clients.isEmpty() || (world.clients.size() < 8 && network.random(8) == 0)) {
            world.clients.add(new Client(world, "" + world.clients.size()));
            return;
        }
        var client = world.clients.get(network.random(world.clients.size()));
        int what = network.random(30);
        if (what == 0) {
            client.peer.end();
            client.hasLeft = true;
        } else if (what == 1) {
            client.peer.abort();
            client.hasLeft = true;
        } else if (what == 2 && client.canSpeak()) {
            client.say("leave " + client.name);
            client.hasLeft = true;
        } else if (client.canSpeak()) {
            client.speak();
        }
    }

    private static void assertRuns(World world) {
        for (var client : world.clients) {
            client.bySpeaker().forEach((speaker, numbers) -> {
                for (int i = 1; i < numbers.size(); i++)
                    assertEquals(numbers.get(0) + i, numbers.get(i), () -> client.name + " of " + speaker + numbers);
            });
        }
    }

    /// Who stays hears everything of who stays, from the time it has joined.
    private static void assertEnds(World world) {
        var staying = world.clients.stream().filter(Client::stays).toList();
        for (var client : staying) {
            var heard = client.bySpeaker();
            for (var speaker : staying) {
                var numbers = heard.getOrDefault(speaker.name, List.of());
                if (!numbers.isEmpty()) assertEquals(speaker.said - 1, numbers.getLast(), speaker.name);
                // What it says itself it hears from the beginning.
                if (speaker == client && speaker.said > 0) assertEquals(0, numbers.getFirst());
            }
        }
        assertEquals(staying.size(), world.group.size());
    }

    @Test
    void a_member_hears_each_speaker_in_order_and_without_a_gap() {
        Simulation.forEachSeed(150, network -> {
            var world = new World(network, 0);
            live(world, 20 + network.random(150));
            assertRuns(world);
            assertEnds(world);
        });
    }

    @Test
    void a_member_that_asks_for_the_last_messages_hears_everything_once() {
        Simulation.forEachSeed(150, network -> {
            var world = new World(network, 10_000);
            live(world, 20 + network.random(150));
            assertRuns(world);
            assertEnds(world);
            for (var client : world.clients) {
                if (!client.stays()) continue;
                client.bySpeaker().forEach((_, numbers) -> assertEquals(0, numbers.getFirst()));
            }
        });
    }

    @Test
    void a_few_last_messages_are_followed_by_what_comes_next() {
        Simulation.forEachSeed(100, network -> {
            var world = new World(network, 1 + network.random(10));
            live(world, 20 + network.random(150));
            assertRuns(world);
        });
    }

    /// Of each speaker, who joins hears what the history keeps, from the first message on, and then everything.
    @Test
    void what_a_history_does_not_keep_is_missed_by_who_joins_later_and_by_nobody_else() {
        Simulation.forEachSeed(150, network -> {
            var world = new World(network, 10_000);
            world.group.keeps(text -> isKept(Integer.parseInt(text.split(" ", -1)[1])));
            live(world, 20 + network.random(150));
            for (var client : world.clients) {
                var heard = client.bySpeaker();
                for (var speaker : world.clients) {
                    var numbers = heard.getOrDefault(speaker.name, List.of());
                    int end = numbers.isEmpty() ? 0 : numbers.getLast() + 1;
                    if (client.stays() && speaker.stays()) end = speaker.said;
                    assertEquals(
                            whole(numbers, end, speaker != client), numbers, () -> client.name + " of " + speaker.name);
                }
            }
        });
    }

    private static boolean isKept(int number) {
        return number % 3 == 1;
    }

    /// All numbers; before the first one that was heard though no history keeps it, perhaps the kept ones alone.
    private static List<Integer> whole(List<Integer> heard, int end, boolean mayHaveMissed) {
        int live = heard.stream().filter(number -> !isKept(number)).findFirst().orElse(Integer.MAX_VALUE);
        return IntStream.range(0, end)
                .filter(number -> !mayHaveMissed || isKept(number) || number >= live)
                .boxed()
                .toList();
    }

    /// So many that each one's frame leaves at once; some do not read, miss old messages, and hold up nobody.
    @Test
    void many_members_hear_everything_though_some_do_not_read() {
        Simulation.forEachSeed(10, network -> {
            var group = new Group<String>();
            var settings = WebSocketSettings.standard()
                    .queueBytes(2_000)
                    .idleTimeout(Duration.ZERO)
                    .slowReader(SlowReader.DROP_OLDEST);
            var on = network.on(SimulatedSocket.PORT).watermarks(1_000, 2_000);
            var _ = AnyDispatch.serve(on, Dispatch.loop(), (HttpHandler)
                    request -> WebSocket.accept(request, settings, socket -> {
                        group.join(socket);
                        return group::broadcast;
                    }));
            var sockets = new ArrayList<SimulatedSocket>();
            for (int i = 0; i < 300; i++) sockets.add(SimulatedSocket.ask(network));
            var deaf = sockets.subList(100, 150);
            deaf.forEach(socket -> socket.peer.pause());
            int burst = 0;
            for (int i = 0; i < 100; i++) {
                var text = i + "x".repeat(network.random(100));
                group.broadcast(text);
                burst += text.length();
                // Of more than what a queue holds at once, who reads would miss some, too.
                if (burst > 1_000) {
                    network.advance(Duration.ofMillis(100));
                    burst = 0;
                } else if (network.random(3) == 0) {
                    network.advance(Duration.ofMillis(network.random(20)));
                }
            }
            network.advance(Duration.ofSeconds(30));
            for (var socket : sockets) {
                if (deaf.contains(socket)) continue;
                var heard = SimulatedSocket.texts(socket.peer.receivedBytes());
                assertEquals(100, heard.size());
                for (int i = 0; i < 100; i++) assertEquals("" + i, heard.get(i).replace("x", ""));
            }
            assertEquals(300, group.size());
        });
    }

    @Test
    void presence_is_told_in_order_and_is_right_in_the_end() {
        Simulation.forEachSeed(100, network -> {
            var world = new World(network, 0);
            live(world, 20 + network.random(150));
            var here = new TreeSet<String>();
            for (var news : world.told) {
                boolean isNew = news.isHere() ? here.add(news.user()) : here.remove(news.user());
                assertTrue(isNew, () -> news + " of " + world.told);
            }
            assertEquals(here, new TreeSet<>(world.group.users()));
            world.clients.forEach(client -> client.peer.end());
            network.advance(Duration.ofSeconds(20));
            assertEquals(List.of(), List.copyOf(world.group.users()));
            assertEquals(0, world.group.size());
        });
    }
}
