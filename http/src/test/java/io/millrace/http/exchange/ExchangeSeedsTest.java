package io.millrace.http.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.CountedBody;
import io.millrace.http.EventStream;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Decompression;
import io.millrace.http.memory.MemoryConnection;
import io.millrace.http.memory.MemoryStream;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.Upgraded;
import io.millrace.http.server.Http;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.sim.Simulation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What an exchange is in every version, over one that is in memory: many at once, in any order, with tiny windows,
/// and given up whenever a peer likes.
@Tag("simulation")
class ExchangeSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 8_000;
    private static final int MOST_EXCHANGES = 8;

    private static final Headers ACCEPTS_GZIP =
            Headers.builder().add("Accept-Encoding", "gzip").build();
    private static final Headers IS_GZIP =
            Headers.builder().add("Content-Encoding", "gzip").build();

    /// More than any exchange needs.
    private static final int MOST_STEPS = 1_000_000;

    /// Until everything is over, what is left to timeouts too.
    private static final Duration LONG = Duration.ofMinutes(10);

    /// One of many, and what its peer must get.
    @SuppressWarnings("ArrayRecordComponent") // nobody changes them
    private record Asked(MemoryStream stream, int status, byte[] expected) {}

    @Test
    void exchanges_at_once_are_answered_each_with_its_own() {
        Simulation.forEachSeed(300, network -> {
            var connection = new MemoryConnection(network, PORT, filtered(new App(network)));
            var all = exchanges(network, connection);
            for (int i = 0; i < MOST_STEPS && !areOver(all); i++) step(network, connection, all, false);
            network.advance(LONG);
            connection.assertNothingThrown();
            for (var asked : all) {
                assertEquals(MemoryStream.State.OVER, asked.stream.state(), asked.stream::toString);
                assertEquals(asked.status, asked.stream.status(), asked.stream::toString);
                assertTrue(asked.stream.isEnded());
                connection.onLoop(() -> asked.stream.take(Integer.MAX_VALUE));
                assertArrayEquals(asked.expected, decoded(asked.stream), asked.stream::toString);
            }
            assertEquals(all.size(), connection.told().size());
        });
    }

    @Test
    void exchanges_that_are_given_up_leave_nothing_and_disturb_no_others() {
        Simulation.forEachSeed(300, network -> {
            var connection = new MemoryConnection(network, PORT, filtered(new App(network)));
            var all = exchanges(network, connection);
            for (int i = 0; i < MOST_STEPS && !areOver(all); i++) step(network, connection, all, true);
            network.advance(LONG);
            connection.assertNothingThrown();
            for (var asked : all) {
                connection.onLoop(() -> asked.stream.take(Integer.MAX_VALUE));
                var got = asked.stream.received();
                boolean isWhole =
                        asked.stream.state() == MemoryStream.State.OVER && asked.stream.status() == asked.status;
                if (isWhole) assertArrayEquals(asked.expected, decoded(asked.stream), asked.stream::toString);
                else if (asked.stream.status() == asked.status && !isEncoded(asked.stream))
                    assertArrayEquals(Arrays.copyOf(asked.expected, got.length), got, asked.stream::toString);
            }
            assertEquals(
                    all.stream().filter(asked -> asked.stream.hasBegun()).count(),
                    connection.told().size());
        });
    }

    @Test
    void a_body_that_comes_too_slowly_ends_its_exchange_alone() {
        Simulation.forEachSeed(20, network -> {
            var connection = new MemoryConnection(network, PORT, filtered(new App(network)));
            var slow = connection.stream("POST", "/whole", Headers.EMPTY, network.randomBytes(5_000));
            var other = connection.stream("GET", "/later?n=7", Headers.EMPTY, new byte[0]);
            connection.onLoop(() -> slow.begin(true, false));
            connection.onLoop(() -> other.begin(true, false));
            network.advance(Duration.ofSeconds(1));
            connection.onLoop(() -> slow.more(100));
            network.advance(LONG);
            assertEquals(MemoryStream.State.RESET, slow.state());
            assertEquals(MemoryStream.State.OVER, other.state());
            assertEquals(List.of("200 ", "0 its body arrives too slowly"), connection.told());
        });
    }

    @Test
    void an_event_is_sent_without_another_one_behind_it() {
        Simulation.forEachSeed(20, network -> {
            var connection = new MemoryConnection(
                    network,
                    PORT,
                    _ -> Response.events(stream -> {
                        var _ = network.loops().next().after(Duration.ofMillis(100), () -> stream.send("only"));
                    }));
            var stream = connection.stream("GET", "/", Headers.EMPTY, new byte[0]);
            connection.onLoop(() -> stream.begin(true, false));
            network.advance(Duration.ofSeconds(1));
            connection.onLoop(() -> stream.take(Integer.MAX_VALUE));
            assertArrayEquals(utf8("data: only\n\n"), stream.received());
            assertEquals(MemoryStream.State.OPEN, stream.state());
            connection.onLoop(stream::cancel);
        });
    }

    @Test
    void a_change_of_protocol_is_over_when_its_tunnel_is() {
        Simulation.forEachSeed(20, network -> {
            var connection = new MemoryConnection(network, PORT, request -> upgrading((ReceivedRequest) request));
            var stream = connection.stream("GET", "/", Headers.EMPTY, new byte[0]);
            connection.onLoop(() -> stream.begin(true, false));
            network.advance(Duration.ofMillis(network.random(100)));
            boolean isTunnel = stream.state() == MemoryStream.State.TUNNEL;
            assertEquals(List.of(), connection.told());
            if (isTunnel) connection.onLoop(() -> stream.tunnelEnds(3, 4));
            else connection.onLoop(stream::cancel);
            assertEquals(List.of(isTunnel ? "101 " : "0 cancelled by the peer"), connection.told());
        });
    }

    private static Response upgrading(ReceivedRequest request) {
        var relay = new Relay(Optional.empty(), () -> {});
        var to = new Upgraded(101, Headers.EMPTY, (TcpConnection) request.connection(), (_, _) -> {});
        var _ = request.connection().loop().after(Duration.ofMillis(50), () -> relay.upgrade(to));
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    // The peers.

    private static boolean areOver(List<Asked> all) {
        return all.stream().allMatch(asked -> asked.stream.state() != MemoryStream.State.OPEN);
    }

    /// Something happens to one of them.
    private static void step(Simulation network, MemoryConnection connection, List<Asked> all, boolean mayBreak) {
        connection.step(all.get(network.random(all.size())).stream, mayBreak);
    }

    private static List<Asked> exchanges(Simulation network, MemoryConnection connection) {
        return Stream.generate(() -> question(network, connection))
                .limit(1 + network.random(MOST_EXCHANGES))
                .toList();
    }

    private static Asked question(Simulation network, MemoryConnection connection) {
        int n = network.random(LARGEST);
        var body = network.randomBytes(1 + n);
        var get = new byte[0];
        return switch (network.random(17)) {
            case 0 -> asked(connection, "GET", "/now?n=" + n, get, 200, text(n));
            case 1 -> asked(connection, "HEAD", "/now?n=" + n, get, 200, get);
            case 2 -> asked(connection, "GET", "/later?n=" + n, get, 200, text(n));
            case 3 -> asked(connection, "GET", "/stream?n=" + 10 * n, get, 200, pattern(10 * n));
            case 4 -> asked(connection, "HEAD", "/stream?n=" + n, get, 200, get);
            case 5 -> asked(connection, "GET", "/events?n=" + n % 40, get, 200, events(n % 40));
            case 6 -> asked(connection, "GET", "/conflict", get, 409, utf8("Conflict\n"));
            case 7 -> asked(connection, "POST", "/whole", body, 200, body);
            case 8 -> asked(connection, "POST", "/duplex", body, 200, body);
            case 9 -> asked(connection, "POST", "/reading", body, 200, utf8("" + body.length));
            case 10 -> asked(connection, "POST", "/relay", body, 200, body);
            case 11 -> asked(connection, ACCEPTS_GZIP, "/stream?n=" + n, get, pattern(n));
            case 12 -> asked(connection, IS_GZIP, "/whole", gzip(body), body);
            case 13 -> asked(connection, "POST", "/blocking", body, 200, body);
            case 14 -> asked(connection, "POST", "/waiting", body, 200, body);
            case 15 -> asked(connection, IS_GZIP, "/waiting", gzip(body), body);
            default -> asked(connection, IS_GZIP, "/duplex", gzip(body), body);
        };
    }

    private static Asked asked(
            MemoryConnection connection, String method, String target, byte[] body, int status, byte[] expected) {
        return new Asked(connection.stream(method, target, Headers.EMPTY, body), status, expected);
    }

    private static Asked asked(
            MemoryConnection connection, Headers headers, String target, byte[] body, byte[] expected) {
        var method = body.length == 0 ? "GET" : "POST";
        return new Asked(connection.stream(method, target, headers, body), 200, expected);
    }

    private static boolean isEncoded(MemoryStream stream) {
        return stream.headers().has("Content-Encoding");
    }

    private static byte[] decoded(MemoryStream stream) throws IOException {
        if (!isEncoded(stream)) return stream.received();
        return new GZIPInputStream(new ByteArrayInputStream(stream.received())).readAllBytes();
    }

    private static byte[] gzip(byte[] plain) {
        var all = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(all)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toByteArray();
    }

    // The server.

    private static HttpHandler filtered(App app) {
        return Decompression.upTo(1 << 20).around(Compression.gzip().around(app));
    }

    private record App(Simulation network) implements HttpHandler {
        private static final HttpHandler WHOLE = Http.whole(
                1 << 20,
                request -> Response.ok(request.body().readBytes(request.body().remaining()), "text/plain"));

        @Override
        public Response handle(Request request) throws Exception {
            int n = Integer.parseInt(request.parameter("n").orElse("0"));
            return switch (request.path()) {
                case "/now" -> Response.ok(textOf(n));
                case "/later" -> Response.later(later(n));
                case "/stream" -> Response.stream(200, writer(n)).type("text/plain");
                case "/events" -> Response.events(stream -> send(stream, 0, n));
                case "/whole" -> WHOLE.handle(request);
                case "/duplex" -> Response.duplex(200, (part, out) -> out.move(part));
                case "/blocking" ->
                    Response.blocking(
                            200, out -> request.blockingBody().inputStream().transferTo(out.outputStream()));
                case "/waiting" -> Response.later(waiting((ReceivedRequest) request));
                case "/reading" -> Response.reading(new CountedBody());
                case "/relay" -> relayed((ReceivedRequest) request);
                default -> throw new HttpError(409, "as it was asked to");
            };
        }

        private CompletableFuture<Response> later(int n) {
            var response = new CompletableFuture<Response>();
            var loop = network.loops().next();
            var _ = loop.after(Duration.ofMillis(n % 50), () -> response.complete(Response.ok(textOf(n))));
            return response;
        }

        private void send(EventStream stream, int number, int count) {
            if (number == count) {
                stream.close();
                return;
            }
            if (!stream.send("event " + number)) return;
            var loop = network.loops().next();
            if (network.random(2) == 0) send(stream, number + 1, count);
            else loop.after(Duration.ofMillis(network.random(30)), () -> send(stream, number + 1, count));
        }

        /// On a thread beside the loop.
        private CompletionStage<Response> waiting(ReceivedRequest request) {
            request.keepBody();
            return request.loop().blocking(() -> Response.ok(request.bytes(), "text/plain"));
        }

        /// The body comes back from elsewhere, as it arrives.
        private Response relayed(ReceivedRequest request) {
            if (!request.isBodyToCome()) return Response.ok(request.bytes(), "text/plain");
            var body = new BodyPipe((EventLoop) request.connection().loop(), request::wake);
            var relay = new Relay(Optional.of(body), body::onClose);
            var loop = network.loops().next();
            var _ = loop.after(Duration.ofMillis(network.random(20)), () -> {
                relay.interim(103, Headers.EMPTY);
                relay.respond(BuiltResponse.of(200, new Body.Stream(body, Body.UNKNOWN)));
            });
            return BuiltResponse.of(200, new Body.Relayed(relay));
        }
    }

    private static BodyWriter writer(int length) {
        return new BodyWriter() {
            private int written;

            @Override
            public boolean write(Output out) {
                int part = Math.min(length - written, 700);
                out.write(pattern(length), written, part);
                written += part;
                return written < length;
            }
        };
    }

    private static byte[] pattern(int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) bytes[i] = (byte) ('a' + i % 26);
        return bytes;
    }

    private static byte[] events(int count) {
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) all.writeBytes(utf8("data: event " + i + "\n\n"));
        return all.toByteArray();
    }

    private static String textOf(int n) {
        return "answer " + n;
    }

    private static byte[] text(int n) {
        return utf8(textOf(n));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
