package io.millrace.http;

import static io.millrace.http.raw.FrameText.CONTINUATION;
import static io.millrace.http.raw.FrameText.DATA;
import static io.millrace.http.raw.FrameText.END_HEADERS;
import static io.millrace.http.raw.FrameText.HEADERS;
import static io.millrace.http.raw.FrameText.HELLO;
import static io.millrace.http.raw.FrameText.NO_ERROR;
import static io.millrace.http.raw.FrameText.OK;
import static io.millrace.http.raw.FrameText.REFUSED_STREAM;
import static io.millrace.http.raw.FrameText.RST_STREAM;
import static io.millrace.http.raw.FrameText.WINDOW_UPDATE;
import static io.millrace.http.raw.FrameText.end;
import static io.millrace.http.raw.FrameText.field;
import static io.millrace.http.raw.FrameText.frame;
import static io.millrace.http.raw.FrameText.goAway;
import static io.millrace.http.raw.FrameText.headers;
import static io.millrace.http.raw.FrameText.int32;
import static io.millrace.http.raw.FrameText.setting;
import static io.millrace.http.raw.FrameText.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The same over HTTP/2.
class Http2ClientSeedsTest extends HttpClientSeedsTest {
    private static final int PADDED = 8;
    private static final String FIVE = headers(1, OK + field("content-length", "5"));

    @Override
    HttpVersion version() {
        return HttpVersion.HTTP_2;
    }

    @Override
    List<String> responses() {
        return List.of(
                HELLO + FIVE + end(1, "hello") + whole(3, OK),
                HELLO + headers(1, field(":status", "103")) + headers(1, OK) + whole(1, field("a", "b")),
                HELLO + FIVE + frame(DATA, 0, 1, "he") + goAway(1, NO_ERROR) + end(1, "llo"),
                HELLO + setting(3, 1) + goAway(0, NO_ERROR),
                HELLO + setting(4, 1) + frame(WINDOW_UPDATE, 0, 0, int32(1)) + whole(5, OK),
                HELLO + frame(RST_STREAM, 0, 1, int32(REFUSED_STREAM)) + whole(3, OK),
                HELLO + frame(HEADERS, 0, 1, OK) + frame(CONTINUATION, END_HEADERS, 1, field("a", "b")));
    }

    @Override
    String others() {
        return "\0\1\2\3\4\5\6\7\10\11@\u0088\u00ff";
    }

    /// The same response, cut once at each of its bytes.
    @Test
    void frames_that_are_cut_at_each_byte() {
        var frames = HELLO
                + headers(1, field(":status", "103"))
                + frame(HEADERS, 0, 1, OK)
                + frame(CONTINUATION, END_HEADERS, 1, field("content-length", "5"))
                + frame(DATA, PADDED, 1, "\2he\0\0")
                + frame(77, 0, 0, "unknown")
                + setting(4, 10)
                + frame(DATA, 0, 1, "llo")
                + whole(1, field("x-trailer", "y"))
                + goAway(1, NO_ERROR);
        var bytes = frames.getBytes(StandardCharsets.ISO_8859_1);
        try (var network = new Simulation(1);
                var client = SimulatedClient.startUnfiltered(network, version())) {
            var peers = new ArrayList<Peer>();
            network.answer(80, peers::add);
            for (int cut = 1; cut < bytes.length; cut++) {
                var answer = client.sendAsync(Request.get("http://127.0.0.1/")).toCompletableFuture();
                network.run();
                peers.getLast().send(Arrays.copyOf(bytes, cut));
                network.run();
                peers.getLast()
                        .send(Arrays.copyOfRange(bytes, cut, bytes.length))
                        .end();
                network.advance(Duration.ofSeconds(2));
                assertTrue(answer.isDone(), "cut at " + cut + " " + peers);
                assertEquals("hello", answer.join().text());
            }
            assertEquals(bytes.length - 1, peers.size());
            SimulatedClient.close(client, network);
        }
    }
}
