package io.millrace.http.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tcp;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What an exchange is in every version, over one that is in memory: many at once, in any order, with tiny windows,
/// and given up whenever a peer likes.
@Tag("simulation")
class ExchangeSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 8_000;
    private static final int MOST_EXCHANGES = 8;

    /// More than any exchange needs.
    private static final int MOST_STEPS = 1_000_000;

    /// Until everything is over, what is left to timeouts too.
    private static final Duration LONG = Duration.ofMinutes(10);

    /// What the streams of one scenario have in common.
    private record Shared(
            Simulation network, TcpConnection carrier, Serving serving, List<String> told, List<Throwable> thrown) {
        /// With a connection for all of them.
        static Shared on(Simulation network) {
            var opened = new AtomicReference<TcpConnection>();
            var _ = Tcp.listen(network.on(PORT), conn -> {
                opened.set((TcpConnection) conn);
                return in -> in.skip(in.remaining());
            });
            network.connect(PORT);
            network.run();
            var told = new ArrayList<String>();
            var serving = new Serving(
                    HttpLimits.standard(),
                    new App(network),
                    served -> told.add(served.status() + " " + served.failure()));
            return new Shared(network, opened.get(), serving, told, new ArrayList<>());
        }

        MemoryStream stream(String method, String target, byte[] body) {
            var request = new MemoryRequest(carrier, method, target, Headers.EMPTY, body.length);
            int window = 1 + network.random(network.random(4) > 0 ? 2_000 : 200_000);
            return new MemoryStream(carrier, serving, request, body, window, network.random(2) == 0, thrown::add);
        }

        void onLoop(Runnable task) {
            carrier.loop().execute(() -> {
                try {
                    task.run();
                } catch (Throwable e) {
                    thrown.add(e);
                }
            });
            network.run();
            assertNothingThrown();
        }

        void assertNothingThrown() {
            for (var e : thrown) throw new AssertionError(e);
        }
    }

    /// One of many, and what its peer must get.
    @SuppressWarnings("ArrayRecordComponent") // nobody changes them
    private record Asked(MemoryStream stream, int status, byte[] expected) {}

    @Test
    void exchanges_at_once_are_answered_each_with_its_own() {
        Simulation.forEachSeed(300, network -> {
            var shared = Shared.on(network);
            var all = exchanges(shared);
            for (int i = 0; i < MOST_STEPS && !areOver(all); i++) step(shared, all, false);
            network.advance(LONG);
            shared.assertNothingThrown();
            for (var asked : all) {
                assertEquals(MemoryStream.State.OVER, asked.stream.state(), asked.stream::toString);
                assertEquals(asked.status, asked.stream.status(), asked.stream::toString);
                assertTrue(asked.stream.isEnded());
                shared.onLoop(() -> asked.stream.take(Integer.MAX_VALUE));
                assertArrayEquals(asked.expected, asked.stream.received(), asked.stream::toString);
            }
            assertEquals(all.size(), shared.told.size());
        });
    }

    @Test
    void exchanges_that_are_given_up_leave_nothing_and_disturb_no_others() {
        Simulation.forEachSeed(300, network -> {
            var shared = Shared.on(network);
            var all = exchanges(shared);
            for (int i = 0; i < MOST_STEPS && !areOver(all); i++) step(shared, all, true);
            network.advance(LONG);
            shared.assertNothingThrown();
            for (var asked : all) {
                shared.onLoop(() -> asked.stream.take(Integer.MAX_VALUE));
                var got = asked.stream.received();
                boolean isWhole =
                        asked.stream.state() == MemoryStream.State.OVER && asked.stream.status() == asked.status;
                if (isWhole) assertArrayEquals(asked.expected, got, asked.stream::toString);
                else if (asked.stream.status() == asked.status)
                    assertArrayEquals(Arrays.copyOf(asked.expected, got.length), got, asked.stream::toString);
            }
            assertEquals(all.stream().filter(asked -> asked.stream.hasBegun()).count(), shared.told.size());
        });
    }

    @Test
    void a_body_that_comes_too_slowly_ends_its_exchange_alone() {
        Simulation.forEachSeed(20, network -> {
            var shared = Shared.on(network);
            var slow = shared.stream("POST", "/whole", network.randomBytes(5_000));
            var other = shared.stream("GET", "/later?n=7", new byte[0]);
            shared.onLoop(() -> slow.begin(true, false));
            shared.onLoop(() -> other.begin(true, false));
            network.advance(Duration.ofSeconds(1));
            shared.onLoop(() -> slow.more(100));
            network.advance(LONG);
            assertEquals(MemoryStream.State.RESET, slow.state());
            assertEquals(MemoryStream.State.OVER, other.state());
            assertEquals(List.of("200 ", "0 its body arrives too slowly"), shared.told);
        });
    }

    // The peers.

    private static boolean areOver(List<Asked> all) {
        return all.stream().allMatch(asked -> asked.stream.state() != MemoryStream.State.OPEN);
    }

    /// Something happens to one of them.
    private static void step(Shared shared, List<Asked> all, boolean mayReset) {
        var network = shared.network;
        var stream = all.get(network.random(all.size())).stream;
        if (stream.state() == MemoryStream.State.OPEN) {
            if (!stream.hasBegun()) shared.onLoop(() -> stream.begin(network.random(3) > 0, network.random(2) == 0));
            else if (mayReset && network.random(60) == 0) shared.onLoop(stream::cancel);
            else if (mayReset && network.random(40) == 0) shared.onLoop(stream::breakBody);
            else if (stream.takesBody()) shared.onLoop(() -> more(network, stream));
        }
        if (stream.hasUnsent()) shared.onLoop(() -> stream.take(1 + network.random(2 * stream.windowBytes())));
        if (network.random(3) == 0) network.advance(Duration.ofMillis(network.random(20)));
    }

    private static void more(Simulation network, MemoryStream stream) {
        if (stream.takesBody()) stream.more(network.random(3) == 0 ? network.random(3) : network.random(3_000));
    }

    private static List<Asked> exchanges(Shared shared) {
        return Stream.generate(() -> question(shared))
                .limit(1 + shared.network.random(MOST_EXCHANGES))
                .toList();
    }

    private static Asked question(Shared shared) {
        var network = shared.network;
        int n = network.random(LARGEST);
        var body = network.randomBytes(1 + n);
        var get = new byte[0];
        return switch (network.random(11)) {
            case 0 -> asked(shared, "GET", "/now?n=" + n, get, 200, text(n));
            case 1 -> asked(shared, "HEAD", "/now?n=" + n, get, 200, get);
            case 2 -> asked(shared, "GET", "/later?n=" + n, get, 200, text(n));
            case 3 -> asked(shared, "GET", "/stream?n=" + 10 * n, get, 200, pattern(10 * n));
            case 4 -> asked(shared, "HEAD", "/stream?n=" + n, get, 200, get);
            case 5 -> asked(shared, "GET", "/events?n=" + n % 40, get, 200, events(n % 40));
            case 6 -> asked(shared, "GET", "/conflict", get, 409, utf8("Conflict\n"));
            case 7 -> asked(shared, "POST", "/whole", body, 200, body);
            case 8 -> asked(shared, "POST", "/duplex", body, 200, body);
            case 9 -> asked(shared, "POST", "/reading", body, 200, utf8("" + body.length));
            default -> asked(shared, "POST", "/relay", body, 200, body);
        };
    }

    private static Asked asked(Shared shared, String method, String target, byte[] body, int status, byte[] expected) {
        return new Asked(shared.stream(method, target, body), status, expected);
    }

    // The server.

    private record App(Simulation network) implements HttpHandler {
        @Override
        public boolean isStreaming(Request head) {
            return !head.path().equals("/whole");
        }

        @Override
        public Response handle(Request request) {
            int n = Integer.parseInt(request.parameter("n").orElse("0"));
            return switch (request.path()) {
                case "/now" -> Response.ok(textOf(n));
                case "/later" -> Response.later(later(n));
                case "/stream" -> Response.stream(200, writer(n));
                case "/events" -> Response.events(stream -> send(stream, 0, n));
                case "/whole" ->
                    Response.ok(request.body().readBytes(request.body().remaining()), "text/plain");
                case "/duplex" -> Response.duplex(200, (part, out) -> out.move(part));
                case "/reading" -> Response.reading(new Counting());
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

        /// The body comes back from elsewhere, as it arrives.
        private Response relayed(ReceivedRequest request) {
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

    private static final class Counting implements BodyReader {
        private long count;

        @Override
        public void onBody(Input part) {
            count += part.remaining();
            part.skip(part.remaining());
        }

        @Override
        public Response onEnd() {
            return Response.ok("" + count);
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
