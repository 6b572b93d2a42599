package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A peer on a simulated network that asks for many things at once, sends bodies bit by bit as the windows allow, and
/// knows what it must get.
final class SimulatedAsker {
    private static final List<String> READERS = List.of("/whole", "/duplex", "/waiting", "/blocking");

    /// Steps without anything new before it is stuck: each takes some time.
    private static final int MOST_IDLE_STEPS = 2_000;

    private final Simulation network;
    private final int largest;
    final SimulatedHttp2Peer peer;
    private final List<Asked> all = new ArrayList<>();

    /// One request, and how much of it was sent.
    private static final class Asked {
        final int id;
        final byte[] body;
        final byte[] expected;
        int at;
        boolean hasSentEnd;
        boolean isGivenUp;

        Asked(int id, byte[] body, byte[] expected) {
            this.id = id;
            this.body = body;
            this.expected = expected;
        }
    }

    /// @param largest body, in bytes
    SimulatedAsker(Simulation network, SimulatedHttp2Peer peer, int largest) {
        this.network = network;
        this.peer = peer;
        this.largest = largest;
    }

    SimulatedAsker ask(int count) {
        for (int i = 0; i < count; i++) ask();
        return this;
    }

    private void ask() {
        int n = network.random(largest);
        int kind = network.random(8);
        var path = kind < 4 ? List.of("/now", "/later", "/stream", "/now").get(kind) : READERS.get(kind - 4);
        if (kind < 4) {
            boolean isHead = kind == 3;
            int id = peer.nextId();
            peer.send(
                    new SentFrames().headers(id, true, SentFrames.request(isHead ? "HEAD" : "GET", path + "?n=" + n)));
            var asked = new Asked(id, new byte[0], isHead ? new byte[0] : SimulatedApp.pattern(n));
            asked.hasSentEnd = true;
            all.add(asked);
            return;
        }
        var body = network.randomBytes(n);
        int id = network.random(2) == 0 ? peer.post(path, "content-length", "" + n) : peer.post(path);
        all.add(new Asked(id, body, body));
    }

    // What it does.

    /// Sends a part of a body, and lets some time pass.
    ///
    /// @return whether anything has come, or is being sent
    boolean step() {
        boolean hasSent = sendSome();
        network.advance(Duration.ofNanos(1_000L * (1 + network.random(2_000))));
        // What was sent may still be on its way.
        return peer.pump() || hasSent || !peer.peer.hasSentAll();
    }

    private boolean sendSome() {
        var open = all.stream().filter(this::mayGoOn).toList();
        if (open.isEmpty()) return false;
        var asked = open.get(network.random(open.size()));
        int left = asked.body.length - asked.at;
        int part = Math.min(left, Math.min(peer.got.room(asked.id), 1 + network.random(5_000)));
        if (part <= 0 && left > 0) return false;
        boolean isLast = part == left && network.random(3) > 0;
        peer.send(new SentFrames().data(asked.id, isLast, Arrays.copyOfRange(asked.body, asked.at, asked.at + part)));
        peer.got.sent(asked.id, part);
        asked.at += part;
        asked.hasSentEnd = isLast;
        return part > 0 || isLast;
    }

    private boolean mayGoOn(Asked asked) {
        boolean isOpen = !asked.hasSentEnd && !asked.isGivenUp && peer.peer.isOpen() && !peer.peer.isEnded();
        return isOpen && peer.stream(asked.id).resetCode == GotStream.NO_RESET;
    }

    /// Resets one of those that go on.
    void giveUpOne() {
        var open = all.stream()
                .filter(asked -> !asked.isGivenUp && !peer.stream(asked.id).isOver())
                .toList();
        if (open.isEmpty() || !peer.peer.isOpen() || peer.peer.isEnded()) return;
        var asked = open.get(network.random(open.size()));
        asked.isGivenUp = true;
        peer.send(new SentFrames().reset(asked.id, Http2Codes.CANCEL));
    }

    boolean isDone() {
        return all.stream()
                .allMatch(asked -> asked.isGivenUp || peer.stream(asked.id).isOver());
    }

    /// Until it has got everything.
    void finish() {
        int idle = 0;
        while (!isDone()) {
            idle = step() ? 0 : idle + 1;
            if (idle > MOST_IDLE_STEPS) throw new AssertionError("nothing comes any more: " + unfinished());
        }
    }

    private String unfinished() {
        var text = new StringBuilder(
                "ended " + peer.peer.isEnded() + ", GOAWAY " + peer.got.goAwayCode + ", window " + peer.got.window());
        for (var asked : all) {
            var got = peer.stream(asked.id);
            if (asked.isGivenUp || got.isOver()) continue;
            text.append("; ")
                    .append(got)
                    .append(", sent " + asked.at + " of " + asked.body.length)
                    .append(", room " + peer.got.room(asked.id));
        }
        return text.toString();
    }

    // What it must have got.

    void assertGotAll() {
        for (var asked : all) if (!asked.isGivenUp) assertGot(asked);
    }

    private void assertGot(Asked asked) {
        var got = peer.stream(asked.id);
        assertTrue(got.hasEnded, () -> got + " " + peer.got);
        assertEquals(200, got.status);
        assertArrayEquals(asked.expected, got.body());
    }

    /// Nothing of another one.
    void assertGotNothingWrong() {
        for (var asked : all) {
            var got = peer.stream(asked.id);
            if (got.hasEnded && !asked.isGivenUp) assertGot(asked);
            var body = got.body();
            assertTrue(body.length <= asked.expected.length, got::toString);
            assertArrayEquals(Arrays.copyOf(asked.expected, body.length), body);
        }
    }

    /// Everything that the server has said it would serve.
    void assertGotUpTo(int lastId) {
        for (var asked : all) if (asked.id <= lastId && asked.hasSentEnd && !asked.isGivenUp) assertGot(asked);
    }
}
