package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSender;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.SimulatedClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.ws.RawFrame;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// WebSockets on networks of many kinds: whatever they do, messages arrive whole and in order, or the close tells
/// that some are missing; each end learns once that it has closed, and every slab comes home.
@Tag("simulation")
class WebSocketSeedsTest {
    private static final int SEEDS = 20;
    private static final int PORT = SimulatedSocket.PORT;

    /// Until both ends have closed, what is left to timeouts too.
    private static final Duration CLOSING = Duration.ofMinutes(5);

    /// Until everything is over.
    private static final Duration LONG = Duration.ofMinutes(5);

    /// Both ends of a socket.
    private record Pair(SimulatedTalker client, SimulatedTalker server) {
        Pair(Simulation network, int id) {
            this(new SimulatedTalker(network, "c" + id), new SimulatedTalker(network, "s" + id));
        }

        void assertTalked() {
            if (client.wasOpen()) client.assertGot(server);
            if (server.wasOpen()) server.assertGot(client);
        }
    }

    private static Dispatch anyDispatch(Simulation network) {
        return switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(1 + network.random(3));
        };
    }

    private static WebSocketSettings anySettings(Simulation network) {
        var settings = WebSocketSettings.standard().compresses(network.random(2) == 0);
        return network.random(2) == 0 ? settings : settings.windows(2);
    }

    private static Server serve(Simulation network, List<Pair> pairs) {
        var settings = anySettings(network);
        boolean isDirect = network.random(2) == 0;
        return AnyDispatch.serve(network.on(PORT), anyDispatch(network), HttpLimits.standard(), request -> {
            var talker = pairs.get(Integer.parseInt(request.path().substring(1))).server;
            return isDirect ? direct(request, settings, talker) : WebSocket.accept(request, settings, talker::opened);
        });
    }

    private static Response direct(Request request, WebSocketSettings settings, SimulatedTalker talker) {
        return WebSocket.serve(request, settings, talker::talk);
    }

    private static void open(Simulation network, HttpSender client, int id, Pair pair) {
        var request = WebSocket.request("ws://127.0.0.1:" + PORT + "/" + id);
        var _ = WebSocket.connect(client, request, anySettings(network), pair.client::opened);
    }

    private static void assertTalk(Simulation network, HttpVersion version) {
        var pairs = new ArrayList<Pair>();
        for (int i = 0; i <= network.random(4); i++) pairs.add(new Pair(network, i));
        try (var server = serve(network, pairs)) {
            var client = SimulatedClient.startUnfiltered(network, version);
            for (int i = 0; i < pairs.size(); i++) open(network, client, i, pairs.get(i));
            network.advance(Duration.ofMillis(network.random(2000)));
            for (var pair : pairs) end(network, pair);
            network.advance(CLOSING);
            // Those that have opened late.
            for (var pair : pairs) pair.client.close();
            network.advance(CLOSING);
            client.close();
            network.advance(LONG);
            assertEquals(0, server.connections());
            for (var pair : pairs) pair.assertTalked();
        }
    }

    /// By one end or by both at once, in order or not.
    private static void end(Simulation network, Pair pair) {
        switch (network.random(5)) {
            case 0 -> pair.client.close();
            case 1 -> pair.server.close();
            case 2 -> pair.client.abort();
            default -> {
                pair.client.close();
                pair.server.close();
            }
        }
    }

    @Test
    void messages_arrive_whole_over_http1() {
        Simulation.forEachSeed(SEEDS, network -> assertTalk(network, HttpVersion.HTTP_1_1));
    }

    @Test
    void messages_arrive_whole_over_http2() {
        Simulation.forEachSeed(SEEDS, network -> assertTalk(network, HttpVersion.HTTP_2));
    }

    @Test
    void resets_on_the_way_are_told_over_http1() {
        Simulation.forEachSeed(SEEDS, network -> assertTalk(network.resets(0.01), HttpVersion.HTTP_1_1));
    }

    @Test
    void resets_on_the_way_are_told_over_http2() {
        Simulation.forEachSeed(SEEDS, network -> assertTalk(network.resets(0.01), HttpVersion.HTTP_2));
    }

    /// Frames that are cut anywhere, by the end of the peer's side or of its connection; it reads slowly, or
    /// nothing.
    @Test
    void a_peer_that_ends_at_any_byte_leaves_nothing() {
        Simulation.forEachSeed(2 * SEEDS, network -> {
            var pairs = List.of(new Pair(network, 0));
            var sent = new ArrayList<String>();
            try (var server = serve(network, pairs)) {
                var peer = SimulatedSocket.askFor("/0", network);
                if (network.random(3) == 0) peer.peer.pause();
                var frames = frames(network, sent);
                peer.peer.send(Arrays.copyOf(frames, network.random(frames.length + 1)));
                network.advance(Duration.ofMillis(network.random(500)));
                switch (network.random(3)) {
                    case 0 -> peer.peer.abort();
                    case 1 -> peer.peer.end();
                    default -> peer.peer.close();
                }
                network.advance(Duration.ofMillis(network.random(500)));
                peer.peer.resume();
                network.advance(LONG);
                assertEquals(0, server.connections());
                if (pairs.getFirst().server.wasOpen()) pairs.getFirst().server.assertGotSome(sent);
            }
        });
    }

    private static byte[] frames(Simulation network, List<String> sent) {
        var all = new ByteArrayOutputStream();
        for (int i = network.random(20); i > 0; i--) {
            var text = "m" + "é".repeat(network.random(60));
            var bytes = text.getBytes(UTF_8);
            int cut = network.random(bytes.length + 1);
            all.writeBytes(RawFrame.masked(1, Arrays.copyOf(bytes, cut)));
            if (network.random(2) == 0) all.writeBytes(RawFrame.masked(0x89, new byte[network.random(126)]));
            all.writeBytes(RawFrame.masked(0x80, Arrays.copyOfRange(bytes, cut, bytes.length)));
            sent.add(text);
        }
        if (network.random(2) == 0) all.writeBytes(RawFrame.masked(0x88, new byte[] {3, -24}));
        return all.toByteArray();
    }
}
