package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.h2.Http2Codes;
import io.millrace.net.Connection;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/// Servers of HTTP/2 that say what they should not, and servers that are only unusual.
class BadHttp2ServersTest {
    private static final int SEEDS = 50;
    private static final int REQUESTS = 40;
    private static final int STREAMS = 10;
    private static final HttpMessages GET = HttpMessages.get("a", "/");

    /// Acts on each request that has arrived whole.
    private static final class Script extends ScriptedHttp2 {
        private final BiConsumer<Script, Integer> onRequest;

        Script(Connection connection, BiConsumer<Script, Integer> onRequest) {
            super(connection);
            this.onRequest = onRequest;
        }

        @Override
        void asked(int type, int id, int length, boolean endsStream) {
            if (endsStream) onRequest.accept(this, id);
        }
    }

    // Unusual ones.

    @Test
    void answers_may_come_in_another_order() {
        Simulation.forEachSeed(SEEDS, network -> {
            var waiting = new ArrayList<Integer>();
            ScriptedHttp2.listen(
                    network,
                    conn -> new Script(conn, (script, id) -> {
                        // The first one stays behind all others.
                        if (id > 1) waiting.add(network.random(waiting.size() + 1), id);
                        boolean isLast = id == 2 * REQUESTS - 1;
                        while (waiting.size() > (isLast ? 0 : STREAMS / 2)) script.ok(waiting.removeFirst(), "hello");
                        if (isLast) script.ok(1, "hello");
                    }));
            var result = load(network, GET);
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        });
    }

    @Test
    void one_that_takes_few_streams_gets_no_more() {
        Simulation.forEachSeed(SEEDS, network -> {
            int most = 1 + network.random(STREAMS);
            var open = new ArrayList<Integer>();
            ScriptedHttp2.listen(network, conn -> new ScriptedHttp2(conn) {
                @Override
                void begins() {
                    setting(Http2Codes.MOST_STREAMS, most);
                }

                @Override
                void asked(int type, int id, int length, boolean endsStream) {
                    open.add(id);
                    assertTrue(open.size() <= most, open::toString);
                    conn.loop().after(Duration.ofMillis(1), () -> {
                        if (!open.isEmpty()) ok(open.removeFirst(), "hello");
                    });
                }
            });
            assertEquals("", load(network, GET).firstError());
        });
    }

    @Test
    void requests_that_one_that_goes_away_has_not_processed_are_sent_again() {
        Simulation.forEachSeed(SEEDS, network -> {
            var ids = new ArrayList<Integer>();
            ScriptedHttp2.listen(
                    network,
                    conn -> new Script(conn, (script, id) -> {
                        ids.add(id);
                        if (id < 15) script.ok(id, "hello");
                        if (id == 15) {
                            script.frame(Http2Codes.GOAWAY, 0, 0, Http2Codes.MOST_ID, Http2Codes.NO_ERROR);
                            script.frame(Http2Codes.GOAWAY, 0, 0, 13, Http2Codes.NO_ERROR);
                        }
                    }));
            var result = load(network, GET);
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertTrue(ids.stream().filter(id -> id == 1).count() >= REQUESTS / 7, ids::toString);
        });
    }

    @Test
    void one_without_a_table_gets_whole_fields() {
        Simulation.forEachSeed(SEEDS, network -> {
            var lengths = new ArrayList<Integer>();
            ScriptedHttp2.listen(network, conn -> new ScriptedHttp2(conn) {
                @Override
                void begins() {
                    setting(Http2Codes.TABLE_SIZE, 0);
                }

                @Override
                void asked(int type, int id, int length, boolean endsStream) {
                    lengths.add(length);
                    ok(id, "hello");
                }
            });
            var result = load(network, HttpMessages.get("a.name.that.is.long.enough", "/"));
            assertEquals("", result.firstError());
            assertTrue(lengths.stream().allMatch(length -> length > 15), lengths::toString);
        });
    }

    @Test
    void a_body_waits_for_windows() {
        Simulation.forEachSeed(SEEDS, network -> {
            int window = 1 + network.random(2000);
            var arrived = new int[2 * REQUESTS];
            ScriptedHttp2.listen(network, conn -> new ScriptedHttp2(conn) {
                @Override
                void begins() {
                    setting(Http2Codes.WINDOW, window);
                }

                @Override
                void asked(int type, int id, int length, boolean endsStream) {
                    if (type == Http2Codes.DATA) {
                        arrived[id] += length;
                        frame(Http2Codes.WINDOW_UPDATE, 0, 0, length);
                        frame(Http2Codes.WINDOW_UPDATE, 0, id, length);
                    }
                    if (endsStream) ok(id, Integer.toString(arrived[id]));
                }
            });
            var messages = GET.method("POST").body(Bytes.of(new byte[4000])).expectingLength(4);
            var result = load(network, messages);
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        });
    }

    @Test
    void one_that_does_not_want_the_rest_of_a_body_does_not_get_it() {
        Simulation.forEachSeed(SEEDS, network -> {
            var isAnswered = new boolean[2 * REQUESTS];
            var cancelled = new ArrayList<Integer>();
            ScriptedHttp2.listen(network, conn -> new ScriptedHttp2(conn) {
                @Override
                void asked(int type, int id, int length, boolean endsStream) {
                    frame(Http2Codes.WINDOW_UPDATE, 0, 0, Math.max(1, length));
                    if (isAnswered[id]) return;
                    isAnswered[id] = true;
                    ok(id, "no");
                }

                @Override
                void told(int type, int id, int flags) {
                    if (type == Http2Codes.RST_STREAM) cancelled.add(id);
                }
            });
            var messages = GET.method("POST").body(Bytes.of(new byte[100_000]));
            var result = load(network, messages);
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            // The connection ends before the last one.
            assertTrue(cancelled.size() >= REQUESTS - 1, cancelled::toString);
        });
    }

    @Test
    void a_ping_is_answered() {
        Simulation.forEachSeed(SEEDS, network -> {
            var answers = new int[1];
            ScriptedHttp2.listen(network, conn -> new ScriptedHttp2(conn) {
                @Override
                void asked(int type, int id, int length, boolean endsStream) {
                    frame(Http2Codes.PING, 0, 0, 4711, id);
                    ok(id, "hello");
                }

                @Override
                void told(int type, int id, int flags) {
                    if (type == Http2Codes.PING && flags == Http2Codes.ACK) answers[0]++;
                }
            });
            assertEquals("", load(network, GET).firstError());
            assertTrue(answers[0] > REQUESTS / 2, () -> "answers: " + answers[0]);
        });
    }

    // Bad ones.

    @Test
    void one_that_speaks_http_1_is_an_error_in_words() {
        Simulation.forEachSeed(SEEDS, network -> {
            network.listen(SimulatedLoad.PORT, conn -> in -> {
                in.skip(in.remaining());
                conn.output().writeUtf8("HTTP/1.1 400 Bad Request\r\n\r\n");
            });
            assertEquals(
                    "the server of connection 0 does not speak HTTP/2: its first bytes are not the frame SETTINGS",
                    load(network, GET).firstError());
        });
    }

    @Test
    void a_stream_that_is_reset_is_an_error_and_the_connection_goes_on() {
        Simulation.forEachSeed(SEEDS, network -> {
            ScriptedHttp2.listen(
                    network,
                    conn -> new Script(conn, (script, id) -> {
                        if (id == 5) script.frame(Http2Codes.RST_STREAM, 0, id, Http2Codes.REFUSED_STREAM);
                        else script.ok(id, "hello");
                    }));
            var result = load(network, GET);
            assertEquals("response 2 on connection 0 was reset: REFUSED_STREAM", result.firstError());
            assertEquals(1, result.errors());
            assertEquals(REQUESTS - 1, result.messages());
        });
    }

    @Test
    void what_breaks_the_protocol_is_an_error_in_words() {
        var sentences = List.of(
                "the server ended connection 0 with ENHANCE_YOUR_CALM",
                "the server of connection 0 pushes, which it was told not to",
                "connection 0 got something of stream 4711, which it had not begun",
                "the server of connection 0 sent the wrong length of PING",
                "response 0 on connection 0 has no status",
                "the server of connection 0 sent CONTINUATION without HEADERS");
        Simulation.forEachSeed(SEEDS, network -> {
            int which = network.random(sentences.size());
            ScriptedHttp2.listen(
                    network,
                    conn -> new Script(conn, (script, id) -> {
                        switch (which) {
                            case 0 -> script.frame(Http2Codes.GOAWAY, 0, 0, 0, Http2Codes.ENHANCE_YOUR_CALM);
                            case 1 -> script.frame(Http2Codes.PUSH_PROMISE, 0, id, 2);
                            case 2 -> script.frame(Http2Codes.DATA, 0, 4711, 0);
                            case 3 -> script.frame(Http2Codes.PING, 0, 0, 1);
                            case 4 -> script.frame(Http2Codes.DATA, Http2Codes.END_STREAM, id, 0);
                            default -> script.frame(Http2Codes.CONTINUATION, 0, id, 0);
                        }
                    }));
            assertEquals(sentences.get(which), load(network, GET).firstError());
        });
    }

    private static LoadResult load(Simulation network, HttpMessages messages) throws Exception {
        var settings = settings()
                .connections(1)
                .depth(STREAMS)
                .with(messages.overHttp2("http"))
                .messages(REQUESTS);
        return new SimulatedLoad(network, settings.patience(Duration.ofHours(1))).result();
    }
}
