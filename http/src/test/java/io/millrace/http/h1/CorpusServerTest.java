package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.WebPeer;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The corpus, sent to a server by a socket that is none of ours.
@Tag("slow")
class CorpusServerTest {
    private static final HttpHandler ECHO = Http.whole(
            CorpusCase.MOST_BODY,
            request -> Response.ok(request.bytes(), "application/octet-stream")
                    .addHeader("X-Path", request.path())
                    .addHeader("X-Method", request.method()));

    @ParameterizedTest
    @EnumSource
    void each_case_gets_what_it_deserves(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(ECHO)) {
            for (var request : CorpusCase.all()) {
                try {
                    check(request, serving);
                } catch (IOException | AssertionError e) {
                    throw new AssertionError(request + ": " + e, e);
                }
            }
        }
    }

    private static void check(CorpusCase request, Serving serving) throws IOException {
        try (var peer = serving.connect()) {
            send(request, peer);
            var statuses = new ArrayList<Integer>();
            var paths = new ArrayList<String>();
            WebPeer.Reply last = null;
            while (statuses.size() < request.statuses().size()) {
                // The answer to HEAD says how long the body would be; an error may be one, too.
                boolean mayHaveBody = !isHead(request, statuses.size());
                var reply = peer.read(mayHaveBody);
                if (reply.status() < 200) continue;
                statuses.add(reply.status());
                if (reply.status() == 200) {
                    paths.add(reply.header("x-path"));
                    last = reply;
                }
            }
            assertEquals(request.statuses(), statuses);
            if (!request.paths().isEmpty()) assertEquals(request.paths(), paths);
            if (request.body() != null
                    && last != null
                    && !last.header("x-method").equals("HEAD")) {
                assertArrayEquals(request.body(), last.body());
            }
            if (request.closes()) assertGone(peer);
            else assertServes(peer);
        }
    }

    /// A server that has seen enough does not wait for the rest.
    private static void send(CorpusCase request, WebPeer peer) throws IOException {
        try {
            peer.send(request.bytes());
            if (request.ends()) peer.end();
        } catch (SocketException _) {
            // Its answer is there nevertheless.
        }
    }

    private static boolean isHead(CorpusCase request, int index) {
        var methods = List.of(
                new String(request.bytes(), java.nio.charset.StandardCharsets.ISO_8859_1).split("HTTP/1.[01]\r\n", -1));
        return index < methods.size() && methods.get(index).contains("HEAD ");
    }

    private static void assertGone(WebPeer peer) throws IOException {
        try {
            peer.readAll();
        } catch (SocketException reset) {
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    private static void assertServes(WebPeer peer) throws IOException {
        assertEquals("/still-there", peer.get("/still-there").read().header("x-path"));
    }
}
