package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;

/// Frames behind a client's preface, into a server on a simulated network, in pieces of any size: whatever they
/// are,
/// the server answers with frames that are in order, says goodbye, closes, and keeps nothing.
public final class FuzzFrames {
    private static final int PORT = 80;

    /// Connections on one network, whose seeds follow each other.
    private static final int MOST_ON_A_NETWORK = 1_000;

    private static final HttpHandler WHOLE = Http.whole(1_000, request -> Response.ok(request.text()));

    private static Simulation network = served(0);
    private static int count;

    private FuzzFrames() {}

    private static Simulation served(long seed) {
        var made = new Simulation(seed);
        // Small enough to be reached.
        var limits = HttpLimits.standard().headBytes(2_000).fields(12).requestLineBytes(300);
        var _ = Http.listen(made.on(PORT), HttpSettings.standard().limits(limits), FuzzFrames::handle);
        return made;
    }

    private static Response handle(io.millrace.http.Request request) throws Exception {
        return switch (request.path()) {
            case "/whole" -> WHOLE.handle(request);
            case "/echo" -> Response.duplex(200, (part, out) -> out.move(part));
            case "/large" -> Response.ok("x".repeat(100_000));
            default -> Response.ok("hello");
        };
    }

    public static void fuzzerTestOneInput(byte[] input) {
        if (++count % MOST_ON_A_NETWORK == 0) {
            network.close();
            network = served(count);
        }
        var peer = network.connect(PORT)
                .send(SentFrames.preface().toBytes())
                .send(input)
                .end();
        network.run();
        var got = new GotFrames(Http2Codes.USUAL_WINDOW);
        got.knowsWindows = false;
        got.take(peer.receivedBytes(), 0, peer.receivedCount());
        assertTrue(peer.isEnded(), got::toString);
        assertFalse(peer.isReset(), got::toString);
        assertTrue(got.goAways > 0, got::toString);
        assertFalse(got.isCut(), got::toString);
        peer.close();
        network.run();
        for (var loop : network.loops().counters()) {
            assertEquals(0, loop.connections(), loop::toString);
            assertEquals(0, loop.slabBytesInUse(), loop::toString);
        }
    }
}
