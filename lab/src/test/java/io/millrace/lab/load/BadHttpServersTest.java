package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/// Servers that say what they should not, and servers that are only unusual.
class BadHttpServersTest {
    private static final int SEEDS = 50;
    private static final int REQUESTS = 10;
    private static final int REQUEST_BYTES = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".length();
    private static final HttpMessages GET = HttpMessages.get("a", "/");
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    // Unusual ones.

    @Test
    void a_body_may_end_with_its_connection() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> {
                conn.output().writeUtf8(OK + "\r\nhello");
                conn.close();
            });
            assertEquals("", load(network, GET.expectingLength(5)).firstError());
        });
    }

    @Test
    void an_old_server_closes_behind_each_response() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> {
                conn.output().writeUtf8("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello");
                conn.close();
            });
            assertEquals("", load(network, GET.expectingLength(5)).firstError());
        });
    }

    @Test
    void interim_responses_are_passed_over() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(
                    network,
                    (conn, number) -> conn.output()
                            .writeUtf8("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK
                                    + "Content-Length: 5\r\n\r\nhello"));
            var result = load(network, GET);
            assertEquals("", result.firstError());
            assertEquals(Map.of("2xx", (long) REQUESTS), result.statuses());
        });
    }

    @Test
    void no_head_needs_to_be_like_the_one_before() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> {
                var body = "b".repeat(number);
                conn.output()
                        .writeUtf8(OK + "Content-Length: " + number + "\r\nAge: " + number % 3 + "\r\n\r\n" + body);
            });
            var result = load(network, GET.expectingLength(HttpMessages.ANY_LENGTH));
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        });
    }

    // Bad ones.

    @Test
    void one_that_speaks_something_else_is_an_error_in_words() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> conn.output().writeUtf8("220 mail.example ready\r\n"));
            assertEquals(
                    "response 0 on connection 0 cannot be read: not a status line of HTTP/1",
                    load(network, GET).firstError());
        });
    }

    @Test
    void bytes_behind_the_body_are_an_error() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> conn.output().writeUtf8(OK + "Content-Length: 4\r\n\r\nhello"));
            var error = load(network, GET).firstError();
            assertTrue(
                    error.equals("connection 0 got a response that it had not asked for")
                            || error.equals("response 1 on connection 0 cannot be read: not a status line of HTTP/1"),
                    error);
        });
    }

    @Test
    void an_end_in_the_middle_of_a_response_is_an_error() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> {
                conn.output().writeUtf8(OK + "Content-Length: 6\r\n\r\nhello");
                conn.close();
            });
            var result = load(network, GET);
            assertEquals("the server ended connection 0", result.firstError());
            assertEquals(0, result.messages());
        });
    }

    @Test
    void chunks_that_do_not_fit_are_an_error() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(
                    network,
                    (conn, number) ->
                            conn.output().writeUtf8(OK + "Transfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n"));
            var error = load(network, GET).firstError();
            assertTrue(
                    error.startsWith("response 0 on connection 0 cannot be read: a chunk without a line end"), error);
        });
    }

    @Test
    void one_that_closes_without_a_word_is_an_error() {
        Simulation.forEachSeed(SEEDS, network -> {
            answering(network, (conn, number) -> {
                conn.output().writeUtf8(OK + "Content-Length: 5\r\n\r\nhello");
                conn.close();
            });
            var result = load(network, GET);
            assertEquals(1, result.errors());
            assertEquals("the server ended connection 0", result.firstError());
        });
    }

    @Test
    void one_that_says_it_will_close_and_does_not_is_an_error() {
        Simulation.forEachSeed(SEEDS, network -> {
            network.listen(PORT, conn -> in -> {
                in.skip(in.remaining());
                conn.output().writeUtf8(OK + "Connection: close\r\nContent-Length: 5\r\n\r\nhello");
            });
            var settings = settings().connections(3).with(GET.closing()).duration(Duration.ofSeconds(1));
            var result = new SimulatedLoad(network, settings.patience(Duration.ofMinutes(1))).result();
            assertEquals(3, result.messages());
            assertEquals(3, result.errors());
            assertTrue(result.firstError().endsWith("not closed by the server within 60.0 s"), result.firstError());
        });
    }

    @Test
    void the_server_is_the_first_to_close() {
        Simulation.forEachSeed(SEEDS, network -> {
            var early = new int[1];
            network.listen(PORT, conn -> new Handler() {
                private boolean hasClosed;

                @Override
                public void onInput(Input in) {
                    in.skip(in.remaining());
                    conn.output().writeUtf8(OK + "Connection: close\r\nContent-Length: 5\r\n\r\nhello");
                    conn.loop().after(Duration.ofSeconds(1), this::close);
                }

                private void close() {
                    hasClosed = true;
                    conn.close();
                }

                @Override
                public void onEnd(Connection ended) {
                    if (!hasClosed) early[0]++;
                }
            });
            assertEquals(REQUESTS, load(network, GET.closing()).messages());
            assertEquals(0, early[0]);
        });
    }

    @Test
    void one_that_goes_away_between_two_connections_is_an_error() {
        Simulation.forEachSeed(10, network -> {
            var server = network.listen(PORT, conn -> in -> {
                in.skip(in.remaining());
                conn.output().writeUtf8(OK + "Connection: close\r\nContent-Length: 5\r\n\r\nhello");
                conn.close();
            });
            var load = new SimulatedLoad(
                    network, settings().connections(1).with(GET).duration(Duration.ofDays(1)));
            network.advance(Duration.ofMillis(200));
            server.close();
            var result = load.result();
            assertTrue(result.messages() > 0, result::toString);
            assertEquals(1, result.errors());
            assertTrue(
                    result.firstError().matches("connection 0 (cannot be made again|was closed): .*"),
                    result.firstError());
        });
    }

    /// Calls for each request of a connection that has arrived whole, with its number.
    private static void answering(Simulation network, BiConsumer<Connection, Integer> answer) {
        var number = new int[1];
        network.listen(PORT, conn -> in -> {
            while (in.remaining() >= REQUEST_BYTES) {
                in.skip(REQUEST_BYTES);
                answer.accept(conn, number[0]++);
            }
        });
    }

    private static LoadResult load(Simulation network, HttpMessages messages) throws Exception {
        var settings = settings().connections(1).with(messages).messages(REQUESTS);
        return new SimulatedLoad(network, settings.patience(Duration.ofHours(1))).result();
    }
}
