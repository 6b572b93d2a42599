package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Both ends in messages, with every framing; and what a handler sends and broadcasts in turn stays in turn.
@Tag("simulation")
class MessageOrderSeedsTest {
    private static final int MAX_BYTES = 1 << 14;
    private static final Codec<Bytes> BYTES = Codec.bytes();
    private static final Codec<String> TEXT = Codec.utf8();
    private static final Framing LINES = Framing.lines(100);

    @Test
    void handlers_echo_messages() {
        Simulation.forEachSeed(150, network -> {
            var framing = framing(network);
            Tcp.listen(
                    network.on(7).dispatch(MoodSeedsTest.anyDispatch(network)),
                    Messages.over(framing, BYTES, peer -> peer::send));
            assertEchoed(network, framing);
        });
    }

    @Test
    void sessions_echo_messages() {
        Simulation.forEachSeed(100, SimulationSettings.standard().carriers(0.75), network -> {
            var framing = framing(network);
            network.serve(7, BlockingMessages.over(framing, BYTES, MessageOrderSeedsTest::echo));
            assertEchoed(network, framing);
        });
    }

    private static void echo(BlockingMessages<Bytes> peer) throws IOException {
        for (Bytes message; (message = peer.receive()) != null; ) peer.send(message);
    }

    private static void assertEchoed(Simulation network, Framing framing) {
        var talkers = new ArrayList<Talker>();
        for (int i = 1 + network.random(4); i > 0; i--) {
            var talker = new Talker(network);
            talkers.add(talker);
            Tcp.connect(network.to(7), Messages.over(framing, BYTES, talker::open));
        }
        network.run();
        for (var talker : talkers) {
            assertEquals(talker.messages, talker.heard);
            assertEquals(List.of(Watched.ORDERLY), talker.ends);
        }
    }

    private static Framing framing(Simulation network) {
        var prefixed = Framing.lengthPrefixed(MAX_BYTES);
        return switch (network.random(5)) {
            case 0 -> prefixed;
            case 1 -> prefixed.varint();
            case 2 -> prefixed.lengthField(8).littleEndian();
            case 3 -> prefixed.lengthField(2).adjustment(-2);
            default -> Framing.delimited(Bytes.utf8("a delimiter that no random bytes contain"), MAX_BYTES);
        };
    }

    /// Everybody hears every line, and the lines of each speaker in order; handlers answer the speaker between
    /// two broadcasts, which must stay between them.
    @Test
    void a_room_tells_everybody_everything() {
        Simulation.forEachSeed(150, network -> {
            int members = 1 + network.random(6);
            int lines = network.random(30);
            var group = new Group<String>();
            serveRoom(network, group);
            var peers = connect(network, members);
            assertEquals(members, group.size());
            for (int i = 0; i < lines; i++) say(network, peers, i);
            network.run();
            for (int i = 0; i < members; i++) assertHeard(peers.get(i), i, members, lines);
            peers.forEach(Peer::end);
            network.run();
            assertEquals(0, group.size());
        });
    }

    private static void serveRoom(Simulation network, Group<String> group) {
        Tcp.listen(network.on(7).dispatch(MoodSeedsTest.anyDispatch(network)), Messages.over(LINES, TEXT, peer -> {
            group.join(peer);
            return line -> {
                group.broadcast(line + " first");
                peer.send(line + " yours");
                group.broadcast(line + " last");
            };
        }));
    }

    private static List<Peer> connect(Simulation network, int count) {
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < count; i++) peers.add(network.connect(7));
        network.run();
        return peers;
    }

    private static void say(Simulation network, List<Peer> peers, int line) {
        for (int i = 0; i < peers.size(); i++) peers.get(i).send(i + " " + line + "\n");
        if (network.random(3) == 0) network.advance(Duration.ofMillis(network.random(20)));
    }

    private static void assertHeard(Peer peer, int self, int members, int lines) {
        var bySpeaker = bySpeaker(peer);
        for (int speaker = 0; speaker < members; speaker++) {
            var expected = new ArrayList<String>();
            for (int line = 0; line < lines; line++) {
                expected.add(line + " first");
                if (speaker == self) expected.add(line + " yours");
                expected.add(line + " last");
            }
            assertEquals(expected, bySpeaker.getOrDefault(speaker + "", List.of()), "of " + speaker);
        }
    }

    private static Map<String, List<String>> bySpeaker(Peer peer) {
        var bySpeaker = new HashMap<String, List<String>>();
        peer.received().lines().forEach(line -> {
            int space = line.indexOf(' ');
            bySpeaker
                    .computeIfAbsent(line.substring(0, space), _ -> new ArrayList<>())
                    .add(line.substring(space + 1));
        });
        return bySpeaker;
    }

    /// A client that says what it has to say as fast as it may, then ends, and listens.
    private static final class Talker {
        final List<Bytes> messages = new ArrayList<>();
        final List<Bytes> heard = new ArrayList<>();
        final List<String> ends = new ArrayList<>();
        private int sent;

        Talker(Simulation network) {
            for (int i = network.random(12); i > 0; i--) {
                messages.add(Bytes.of(network.randomBytes(network.random(1 << network.random(14)))));
            }
        }

        MessageHandler<Bytes> open(Messages<Bytes> peer) {
            talk(peer);
            return new MessageHandler<>() {
                @Override
                public void onMessage(Bytes message) {
                    heard.add(message);
                }

                @Override
                public void onWritable() {
                    talk(peer);
                }

                @Override
                public void onClose(@Nullable IOException cause) {
                    ends.add(cause == null ? Watched.ORDERLY : cause.toString());
                }
            };
        }

        private void talk(Messages<Bytes> peer) {
            while (sent < messages.size() && !peer.isFull()) assertTrue(peer.send(messages.get(sent++)));
            if (sent == messages.size()) peer.end();
        }
    }
}
