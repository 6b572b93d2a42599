package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.net.NetException;
import io.millrace.sim.Simulation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Frames of a server, behind its settings, in pieces of any size, for a client with two requests: whatever they are,
/// each request is answered or fails in a way that callers know, and nothing is kept.
public final class FuzzServerFrames {
    private static final int PORT = 80;
    private static final String URI = "http://127.0.0.1:" + PORT + "/";

    /// Connections on one network, whose seeds follow each other.
    private static final int MOST_ON_A_NETWORK = 1_000;

    private static byte[] frames = {};
    private static int count;
    private static Simulation network = served(0);
    private static HttpClient client = client();

    private FuzzServerFrames() {}

    private static Simulation served(long seed) {
        var made = new Simulation(seed);
        return made.answer(
                PORT,
                peer -> peer.send(new SentFrames().settings().toBytes())
                        .send(frames)
                        .end());
    }

    private static HttpClient client() {
        return HttpClient.of(ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .connections(1)
                .version(HttpVersion.HTTP_2));
    }

    public static void fuzzerTestOneInput(byte[] input) {
        if (++count % MOST_ON_A_NETWORK == 0) {
            client.close();
            network.close();
            network = served(count);
            client = client();
        }
        frames = input;
        var get = client.sendAsync(Request.get(URI)).toCompletableFuture();
        var put = client.sendAsync(Request.of("PUT", URI, Bytes.of(new byte[100_000])))
                .toCompletableFuture();
        network.run();
        assertOver(get);
        assertOver(put);
        for (var loop : network.loops().counters()) {
            assertEquals(0, loop.connections(), loop::toString);
            assertEquals(0, loop.slabBytesInUse(), loop::toString);
        }
    }

    private static void assertOver(CompletableFuture<?> answer) {
        assertTrue(answer.isDone(), "neither answered nor failed");
        try {
            answer.join();
        } catch (CompletionException e) {
            assertTrue(e.getCause() instanceof NetException, () -> "no way to fail: " + e.getCause());
        }
    }
}
