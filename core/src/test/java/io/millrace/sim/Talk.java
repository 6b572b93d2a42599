package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A peer with much to say, in random pieces at random moments.
final class Talk {
    private static final int MOST_BYTES = 60_000;
    private static final long MOST_NANOS = 100_000_000;

    final Simulation network;
    final Peer peer;
    final byte[] words;
    private int said;

    Talk(Simulation network, int port) {
        this.network = network;
        this.words = network.randomBytes(1 + network.random(1 << network.random(16)) % MOST_BYTES);
        this.peer = network.connect(port);
    }

    static List<Talk> some(Simulation network, int port) {
        var talks = new ArrayList<Talk>();
        for (int i = 1 + network.random(6); i > 0; i--) talks.add(new Talk(network, port));
        return talks;
    }

    /// All of them talk at the same time, pause and go on.
    static void ramble(Simulation network, List<Talk> talks) {
        for (int i = network.random(30); i > 0; i--) {
            talks.get(network.random(talks.size())).rambleOn();
            if (network.random(4) == 0) network.advance(Duration.ofNanos(network.random((int) MOST_NANOS)));
        }
    }

    private void rambleOn() {
        switch (network.random(5)) {
            case 0 -> peer.pause();
            case 1 -> peer.resume();
            default -> say(network.random(words.length - said + 1));
        }
    }

    private void say(int length) {
        peer.send(Arrays.copyOfRange(words, said, said + length));
        said += length;
    }

    /// Says the rest, reads everything, and ends.
    void finish() {
        say(words.length - said);
        peer.end().resume();
    }

    static void finishAll(List<Talk> talks) {
        talks.forEach(Talk::finish);
        talks.getFirst().network.run();
    }

    /// Some peers finish, some close or vanish in the middle of everything.
    static void giveUp(Simulation network, List<Talk> talks) {
        for (var talk : talks) {
            switch (network.random(4)) {
                case 0 -> talk.peer.abort();
                case 1 -> talk.peer.resume().close();
                default -> talk.finish();
            }
            network.advance(Duration.ofNanos(network.random(10_000_000)));
        }
        network.run();
        // Who was closed lingers for the end of a peer that is gone.
        network.advance(Duration.ofSeconds(2));
    }

    void assertEchoed() {
        assertArrayEquals(words, peer.receivedBytes());
        assertTrue(peer.isEnded(), peer + " was not ended");
    }

    /// The server ended before the peer had said everything.
    void assertAllSaidEchoed() {
        assertArrayEquals(Arrays.copyOf(words, said), peer.receivedBytes());
        assertTrue(peer.isEnded(), peer + " was not ended");
    }

    /// As [#assertPrefixEchoed], for a server that ends before it has read everything.
    void assertBeginningEchoed() {
        var received = peer.receivedBytes();
        assertArrayEquals(Arrays.copyOf(words, received.length), received);
    }

    /// What came back is the beginning of what was said, whatever happened then.
    void assertPrefixEchoed() {
        var received = peer.receivedBytes();
        assertTrue(received.length <= said, received.length + " bytes of " + said);
        assertArrayEquals(Arrays.copyOf(words, received.length), received);
        if (peer.isEnded() && !peer.isReset()) assertEquals(said, received.length);
    }
}
