package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Overflow;
import io.millrace.http.AllMemory;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.websocket.WebSocket;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes of a connection whose loop has no memory left for what it is about to send: half a frame may be
/// written, behind which nothing can follow, so it must not stay open and say nothing.
class Http2WithoutMemoryTest {
    private static final SimulationSettings ONE_LOOP =
            SimulationSettings.standard().threads(1).memory(4 << 20);

    private static Server serve(Simulation network, HttpHandler app) {
        return AnyDispatch.serve(network.on(SimulatedApp.PORT), Dispatch.loop(), HttpLimits.standard(), app);
    }

    /// With its head, or in slabs of its own.
    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    void a_connection_ends_when_its_frames_find_no_memory(int length) {
        var late = new CompletableFuture<Response>();
        try (var network = new Simulation(1, ONE_LOOP);
                var server = serve(network, _ -> Response.later(late))) {
            var peer = SimulatedHttp2Peer.connect(network, SimulatedApp.PORT);
            int id = peer.get("/");
            peer.settle();
            var all = new ArrayList<AllMemory>();
            var loop = network.loops().next();
            loop.execute(() -> {
                all.add(AllMemory.of(loop));
                late.complete(Response.ok("x".repeat(length)));
            });
            peer.settle();
            assertEquals(0, peer.stream(id).status);
            assertTrue(peer.peer.isReset() || peer.peer.isEnded(), () -> peer.got.toString());
            assertEquals(0, server.connections());
            loop.execute(() -> all.forEach(AllMemory::close));
            network.run();
        }
    }

    /// A message that is written at once, and one that is written aside.
    @ParameterizedTest
    @ValueSource(ints = {1_000, 20_000})
    void a_websocket_ends_when_its_message_finds_no_memory_and_the_connection_goes_on(int length) {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(1, ONE_LOOP)) {
            var loop = network.loops().next();
            HttpHandler app = request -> request.path().equals("/")
                    ? Response.ok("hello")
                    : WebSocket.accept(request, socket -> _ -> {
                        try (var _ = AllMemory.of(loop)) {
                            var failure = assertThrows(Overflow.class, () -> socket.send("x".repeat(length)));
                            ends.add(failure.getMessage());
                        }
                    });
            try (var _ = serve(network, app)) {
                var peer = SimulatedHttp2Peer.connect(network, SimulatedApp.PORT);
                int id = peer.nextId();
                var frame = new byte[] {(byte) 0x81, (byte) 0x82, 0, 0, 0, 0, 'g', 'o'};
                peer.send(new SentFrames()
                        .headers(id, false, SentFrames.websocket("/socket"))
                        .data(id, false, frame));
                peer.settle();
                assertEquals(1, ends.size());
                assertEquals(Http2Codes.CANCEL, peer.stream(id).resetCode);
                int next = peer.get("/");
                peer.settle();
                assertEquals("hello", peer.stream(next).text());
            }
        }
    }
}
