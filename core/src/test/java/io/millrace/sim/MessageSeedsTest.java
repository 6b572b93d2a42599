package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tcp;
import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.Messages;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Messages stay whole, in order and complete, however the network cuts them and whoever sends them from where.
@Tag("simulation")
class MessageSeedsTest {
    private static final int MOST_BYTES = 70_000;
    private static final Framing FRAMES = Framing.lengthPrefixed(MOST_BYTES);

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Said(int who, int number, byte[] words) {
        byte[] frame() {
            return ByteBuffer.allocate(12 + words.length)
                    .putInt(8 + words.length)
                    .putInt(who)
                    .putInt(number)
                    .put(words)
                    .array();
        }
    }

    private static final Codec<Said> CODEC = Codec.of(
            in -> new Said(
                    in.readInt(), in.readInt(), in.readBytes(in.remaining()).toArray()),
            (said, out) -> out.writeInt(said.who).writeInt(said.number).write(said.words, 0, said.words.length));

    @Test
    void messages_are_echoed() {
        Simulation.forEachSeed(60, network -> {
            var on = network.on(7).dispatch(MoodSeedsTest.anyDispatch(network));
            Tcp.listen(on, Messages.over(FRAMES, CODEC, peer -> said -> assertTrue(peer.send(said))));
            assertEchoed(network);
        });
    }

    @Test
    void sessions_echo_messages() {
        Simulation.forEachSeed(60, SimulationSettings.standard().carriers(0.7), network -> {
            network.serve(7, BlockingMessages.over(FRAMES, CODEC, peer -> {
                for (var said = peer.receive(); said != null; said = peer.receive()) peer.send(said);
            }));
            assertEchoed(network);
        });
    }

    private static void assertEchoed(Simulation network) {
        var peer = network.connect(7);
        var sent = new ByteArrayOutputStream();
        for (int i = 0; i < 30; i++) {
            var frame = said(network, 0, i).frame();
            sent.writeBytes(frame);
            peer.send(frame);
            if (network.random(3) == 0) network.run();
        }
        peer.end();
        network.run();
        assertArrayEquals(sent.toByteArray(), peer.receivedBytes());
        assertTrue(peer.isEnded());
    }

    private static Said said(Simulation network, int who, int number) {
        return new Said(who, number, network.randomBytes(network.random(1 << network.random(15))));
    }

    @Test
    void a_room_hears_everything_in_the_order_of_each_speaker() {
        Simulation.forEachSeed(50, network -> {
            var room = new Group<Said>();
            var on = network.on(7).dispatch(MoodSeedsTest.anyDispatch(network));
            Tcp.listen(on, Messages.over(FRAMES, CODEC, peer -> {
                room.join(peer);
                return room::broadcast;
            }));
            int speakers = 2 + network.random(5);
            var peers = new ArrayList<Peer>();
            for (int who = 0; who < speakers; who++) peers.add(network.connect(7));
            network.run();
            for (int number = 0; number < 10; number++) {
                for (int who = 0; who < speakers; who++) {
                    peers.get(who).send(said(network, who, number).frame());
                }
                if (network.random(4) == 0) network.run();
            }
            network.run();
            for (var peer : peers) assertHeardAll(messages(peer.receivedBytes()), speakers);
        });
    }

    private static void assertHeardAll(List<Said> heard, int speakers) {
        assertEquals(10 * speakers, heard.size());
        for (int who = 0; who < speakers; who++) {
            int speaker = who;
            var numbers = heard.stream()
                    .filter(said -> said.who == speaker)
                    .map(Said::number)
                    .toList();
            assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), numbers);
        }
    }

    private static List<Said> messages(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        var messages = new ArrayList<Said>();
        while (in.hasRemaining()) {
            int length = in.getInt();
            int who = in.getInt();
            int number = in.getInt();
            var words = new byte[length - 8];
            in.get(words);
            messages.add(new Said(who, number, words));
        }
        return messages;
    }

    @Test
    void who_stays_hears_everything_of_who_stays() {
        Simulation.forEachSeed(50, network -> {
            network.resets(0.4);
            var room = new Group<Said>();
            var on = network.on(7).dispatch(MoodSeedsTest.anyDispatch(network));
            var server = Tcp.listen(on, Messages.over(FRAMES, CODEC, peer -> {
                room.join(peer);
                return room::broadcast;
            }));
            var peers = new ArrayList<Peer>();
            for (int who = 0; who < 8; who++) peers.add(network.connect(7));
            network.run();
            for (int number = 0; number < 10; number++) {
                for (int who = 0; who < 8; who++) speak(network, peers.get(who), who, number);
            }
            network.run();
            var staying = peers.stream().filter(Peer::isOpen).toList();
            for (var peer : staying) {
                var heard = messages(peer.receivedBytes());
                for (var speaker : staying) {
                    int who = peers.indexOf(speaker);
                    long count = heard.stream().filter(said -> said.who == who).count();
                    assertEquals(10, count);
                }
            }
            assertEquals(staying.size(), server.connections());
        });
    }

    private static void speak(Simulation network, Peer peer, int who, int number) {
        if (peer.isOpen()) peer.send(said(network, who, number).frame());
        if (network.random(10) == 0) network.run();
    }
}
