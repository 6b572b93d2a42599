package io.millrace.http.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.memory.MemoryCarrier;
import io.millrace.http.memory.MemoryClientStream;
import io.millrace.http.memory.MemoryClientStream.State;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.http.message.Upgraded;
import io.millrace.http.message.Upload;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a client's exchange is in every version, over one that is in memory: servers that answer early, late, or not
/// at all, take a few bytes at a time, and break off whenever they like.
@Tag("simulation")
class ClientExchangeSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 8_000;

    /// Longer than what is sent with its head.
    private static final int LONG_BODY = 150_000;

    /// More than any exchange needs.
    private static final int MOST_STEPS = 1_000_000;

    private static final long FIRST_BYTE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long IDLE_NANOS = Duration.ofSeconds(20).toNanos();
    private static final ClientTimeouts TIMEOUTS = new ClientTimeouts(FIRST_BYTE_NANOS, IDLE_NANOS);

    /// For servers that may be last in a long row.
    private static final ClientTimeouts PATIENT = new ClientTimeouts(60 * FIRST_BYTE_NANOS, 60 * FIRST_BYTE_NANOS);

    /// Until everything is over, what is left to timeouts too.
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final Headers IS_GZIP =
            Headers.builder().add("Content-Encoding", "gzip").build();
    private static final Headers BEHIND = Headers.builder().add("Sum", "12").build();
    private static final Optional<DecodedLimit> DECODED = Optional.of(new DecodedLimit(
            1 << 20, 1_000, HttpGuards.CLIENT_DECODED, HttpGuards.CLIENT_DECODED_RATIO, "nobody needs more"));

    @Test
    void exchanges_one_behind_the_other_get_each_its_own_response() {
        Simulation.forEachSeed(300, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var all = conversations(network, carrier, false);
            for (int i = 0; i < MOST_STEPS && !all.stream().allMatch(Conversation::isOver); i++) step(network, all);
            carrier.onLoop(() -> all.forEach(Conversation::end));
            for (var asked : all.stream().flatMap(one -> one.callers.stream()).toList()) {
                if (asked.failure != null) throw new AssertionError(asked.toString(), asked.failure);
                assertEquals(1, asked.told, asked::toString);
                assertEquals(asked.status, asked.gotStatus, asked::toString);
                assertArrayEquals(asked.expected, asked.got.toByteArray(), asked::toString);
                assertEquals(asked.hasUpload ? 1 : 0, asked.closedUploads, asked::toString);
            }
        });
    }

    @Test
    void exchanges_that_break_off_are_told_once_and_leave_nothing() {
        Simulation.forEachSeed(600, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var all = conversations(network, carrier, true);
            for (int i = 0; i < MOST_STEPS && !all.stream().allMatch(Conversation::isOver); i++) step(network, all);
            network.advance(LONG);
            carrier.assertNothingThrown();
            for (var one : all) one.assertEachWasTold();
            carrier.onLoop(() -> all.forEach(Conversation::end));
        });
    }

    @Test
    void a_server_that_has_the_request_and_says_nothing_is_late() {
        var failed = silent(network -> new Asked(network, 0, false), Asked::takeAll, FIRST_BYTE_NANOS);
        assertTrue(failed.message().contains("no byte of a response"), failed.message());
    }

    @Test
    void a_server_that_stops_in_a_head_is_late() {
        var failed = silent(network -> new Asked(network, 0, false), Asked::takeAllAndBeginHead, IDLE_NANOS);
        assertTrue(failed.message().contains("nothing more of the response"), failed.message());
    }

    @Test
    void a_server_that_takes_nothing_of_a_body_is_late() {
        var failed = silent(network -> new Asked(network, 2, false), asked -> {}, IDLE_NANOS);
        assertTrue(failed.message().contains("nothing taken of the body"), failed.message());
    }

    @Test
    void a_server_that_stops_in_a_body_is_late() {
        var failed = silent(network -> new Asked(network, 0, false), Asked::takeAllAndBeginBody, IDLE_NANOS);
        assertTrue(failed.message().contains("nothing more of the response"), failed.message());
    }

    private record Late(String message) {}

    private interface Asking {
        Asked of(Simulation network);
    }

    private interface Server {
        void does(Asked asked);
    }

    /// The server has done something, and does nothing more.
    private static Late silent(Asking asking, Server server, long nanos) {
        var late = new ArrayList<Late>();
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var asked = asking.of(network);
            carrier.onLoop(() -> {
                asked.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                server.does(asked);
            });
            network.advance(Duration.ofNanos(nanos - 1_000_000));
            assertNull(asked.failure);
            network.advance(Duration.ofMillis(2));
            var failure = assertInstanceOf(TimedOut.class, asked.failure);
            assertTrue(asked.exchange().isServersTurn(), "it is to blame");
            late.add(new Late(String.valueOf(failure.getMessage())));
        });
        return late.getFirst();
    }

    @Test
    void nobody_is_late_while_the_caller_reads_nothing_or_writes_nothing() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var reading = new Asked(network, 0, false);
            var writing = new Asked(network, 4, false);
            carrier.onLoop(() -> {
                reading.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                reading.takeAllAndBeginBody();
                reading.exchange().pause();
                writing.isStill = true;
                writing.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                writing.stream().take(LARGEST);
            });
            network.advance(LONG);
            assertNull(reading.failure);
            assertNull(writing.failure);
            assertTrue(
                    !reading.exchange().isServersTurn() && !writing.exchange().isServersTurn());
            carrier.onLoop(() -> {
                reading.stream().close(false);
                writing.stream().close(false);
            });
        });
    }

    @Test
    void nobody_sends_the_rest_of_a_body_that_is_refused() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var asked = new Asked(network, 4, false);
            carrier.onLoop(() -> {
                asked.isStill = true;
                asked.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                asked.stream().answer(413, Headers.EMPTY, new byte[10], Headers.EMPTY);
            });
            assertEquals(1, asked.closedUploads);
            carrier.onLoop(() -> asked.stream().more(10));
            assertNull(asked.failure);
            assertFalse(asked.stream().wasSent(), "it carries nobody else");
            carrier.onLoop(() -> asked.stream().close(false));
        });
    }

    @Test
    void a_body_that_waits_to_be_asked_for_is_not_sent_behind_an_answer() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var asked = new Asked(network, 5, false);
            carrier.onLoop(() -> {
                asked.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                asked.stream().answer(200, Headers.EMPTY, new byte[0], Headers.EMPTY);
            });
            network.advance(LONG);
            assertNull(asked.failure);
            assertFalse(asked.stream().wasSent(), "it carries nobody else");
            assertEquals(0, asked.stream().received().length);
            carrier.onLoop(() -> asked.stream().close(false));
        });
    }

    @Test
    void a_server_says_so_much_in_front_of_a_response_and_no_more() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var asked = new Asked(network, 0, false);
            carrier.onLoop(() -> {
                asked.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                for (int i = 0; i < 8; i++) asked.stream().interim(103);
            });
            assertNull(asked.failure);
            carrier.onLoop(() -> asked.stream().interim(103));
            assertInstanceOf(ProtocolError.class, asked.failure);
        });
    }

    @Test
    void who_gives_up_as_its_body_is_not_wanted_is_told_once() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var refused = new Asked(network, 4, false);
            var answered = new Asked(network, 4, false);
            carrier.onLoop(() -> {
                for (var asked : List.of(refused, answered)) {
                    asked.isStill = true;
                    asked.givesUpOnClose = true;
                    asked.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                }
                refused.stream().answer(413, Headers.EMPTY, new byte[10], Headers.EMPTY);
                answered.stream().answer(200, Headers.EMPTY, new byte[0], Headers.EMPTY);
            });
            assertInstanceOf(Reset.class, refused.failure);
            assertEquals(State.GONE, refused.stream().state());
            assertNull(answered.failure);
            assertEquals(State.FREE, answered.stream().state());
            assertEquals(2, refused.told + answered.told);
            carrier.onLoop(() -> answered.stream().close(false));
        });
    }

    @Test
    void a_request_that_nobody_has_read_may_go_elsewhere_if_it_may_be_sent_twice() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var get = new Asked(network, 0, false);
            var post = new Asked(network, 1, false);
            carrier.onLoop(() -> {
                get.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                get.stream().close(true);
                post.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                post.stream().close(true);
            });
            assertEquals(Optional.of(get), get.stream().unread());
            assertEquals(0, get.told);
            assertEquals(Optional.empty(), post.stream().unread());
            assertInstanceOf(Reset.class, post.failure);
        });
    }

    @Test
    void a_change_of_protocol_is_over_when_its_tunnel_is() {
        Simulation.forEachSeed(1, network -> {
            var carrier = new MemoryCarrier(network, PORT);
            var asked = new Asked(network, 0, false);
            asked.wantsUpgrade = true;
            carrier.onLoop(() -> {
                asked.on(new MemoryClientStream(carrier, TIMEOUTS, 1_000, true));
                asked.stream().upgrade();
            });
            network.advance(LONG);
            assertEquals(State.TUNNEL, asked.stream().state());
            assertEquals(0, asked.told);
            carrier.onLoop(() -> asked.stream().tunnelEnds());
            assertEquals(1, asked.told);
            assertNull(asked.failure);
        });
    }

    // The servers.

    private static List<Conversation> conversations(Simulation network, MemoryCarrier carrier, boolean mayBreak) {
        var all = new ArrayList<Conversation>();
        int count = 1 + network.random(4);
        carrier.onLoop(() -> {
            for (int i = 0; i < count; i++) all.add(new Conversation(network, carrier, mayBreak));
        });
        return all;
    }

    private static void step(Simulation network, List<Conversation> all) {
        all.get(network.random(all.size())).step();
        if (network.random(3) == 0) network.advance(Duration.ofMillis(network.random(20)));
    }

    /// One stream, those who ask over it, and what its server does.
    private static final class Conversation {
        private final Simulation network;
        private final MemoryCarrier carrier;
        private final boolean mayBreak;
        private final MemoryClientStream stream;
        private final List<Asked> callers;
        private int begun;
        private int interims;

        Conversation(Simulation network, MemoryCarrier carrier, boolean mayBreak) {
            this.network = network;
            this.carrier = carrier;
            this.mayBreak = mayBreak;
            int window = 1 + network.random(network.random(4) > 0 ? 2_000 : 200_000);
            var timeouts = mayBreak ? TIMEOUTS : PATIENT;
            this.stream = new MemoryClientStream(carrier, timeouts, window, network.random(2) == 0);
            this.callers = Stream.generate(() -> new Asked(network, network.random(Asked.KINDS), mayBreak))
                    .limit(1 + network.random(3))
                    .toList();
            for (var caller : callers) caller.mayRest = true;
        }

        boolean isOver() {
            return stream.state() == State.GONE || (stream.state() == State.FREE && begun == callers.size());
        }

        void end() {
            if (stream.state() != State.GONE) stream.close(false);
        }

        void step() {
            carrier.onLoop(() -> {
                if (!mayBreak || network.random(30) > 0) {
                    goOn();
                    return;
                }
                breakOff();
                // Whoever is given up writes nothing into what is left.
                stream.take(LONG_BODY);
            });
        }

        private Asked current() {
            return callers.get(begun - 1);
        }

        private void goOn() {
            stream.take(1 + network.random(2 * stream.windowBytes()));
            switch (stream.state()) {
                case FREE -> {
                    interims = 0;
                    if (begun < callers.size()) callers.get(begun++).on(stream);
                }
                case ASKED -> answer();
                case ANSWERED -> {
                    if (stream.takesBody())
                        stream.more(network.random(3) == 0 ? network.random(3) : network.random(3_000));
                }
                case TUNNEL, RESET, GONE -> {}
            }
        }

        private void answer() {
            if (interims < 3 && network.random(3) == 0) {
                interims++;
                stream.interim(network.random(2) == 0 ? 100 : 103);
                return;
            }
            if (!stream.hasAll()) return;
            assertArrayEquals(current().sent, stream.received());
            current().answerOn(stream);
        }

        private void breakOff() {
            switch (stream.state()) {
                case ASKED -> {
                    switch (network.random(6)) {
                        case 0 -> stream.close(network.random(2) == 0);
                        case 1 -> stream.breakFraming();
                        case 2 -> stream.upgrade();
                        case 3 -> current().giveUp();
                        // Early, perhaps.
                        case 4 -> stream.answer(413, Headers.EMPTY, new byte[network.random(3)], Headers.EMPTY);
                        default -> current().answerOn(stream);
                    }
                }
                case ANSWERED -> {
                    switch (network.random(3)) {
                        case 0 -> stream.close(false);
                        case 1 -> stream.breakFraming();
                        default -> current().giveUp();
                    }
                }
                case FREE -> stream.close(true);
                case TUNNEL, RESET, GONE -> {}
            }
        }

        void assertEachWasTold() {
            for (var asked : callers.subList(0, begun)) {
                boolean isElsewhere = stream.unread().filter(asked::equals).isPresent();
                assertEquals(isElsewhere ? 0 : 1, asked.told, asked::toString);
                assertEquals(asked.hasUpload ? 1 : 0, asked.closedUploads, asked::toString);
                boolean isWhole = asked.told == 1 && asked.failure == null && asked.gotStatus == asked.status;
                if (isWhole) assertArrayEquals(asked.expected, asked.got.toByteArray(), asked::toString);
            }
        }
    }

    // Those who ask.

    private static final class Asked implements Caller {
        static final int KINDS = 8;

        private final Simulation network;
        private final boolean mayBreak;
        private final OutgoingRequest request;
        private final byte[] sent;
        private final boolean hasUpload;
        private final int status;
        private final Headers fields;
        private final byte[] expected;
        private final byte[] answer;

        private @Nullable ClientExchange exchange;
        private @Nullable MemoryClientStream stream;
        private final ByteArrayOutputStream got = new ByteArrayOutputStream();
        private int gotStatus;
        private int told;
        private @Nullable Throwable failure;
        private int closedUploads;
        private boolean hasGivenUp;
        private boolean wantsUpgrade;
        private boolean givesUpOnClose;

        /// Whether it reads on later, now and then.
        private boolean mayRest;

        /// Whether its body is not gone on with.
        private boolean isStill;

        Asked(Simulation network, int kind, boolean mayBreak) {
            this.network = network;
            this.mayBreak = mayBreak;
            int n = network.random(LARGEST);
            this.sent = switch (kind) {
                case 0, 6 -> new byte[0];
                case 2 -> network.randomBytes(LONG_BODY);
                default -> network.randomBytes(1 + n);
            };
            this.hasUpload = kind == 3 || kind == 4;
            this.status = network.random(4) == 0 ? 404 : 200;
            boolean isGzip = network.random(3) == 0;
            var plain = network.randomBytes(1 + network.random(LARGEST));
            this.expected = kind == 6 ? new byte[0] : plain;
            this.answer = isGzip ? gzip(plain) : plain;
            this.fields = isGzip ? IS_GZIP : Headers.EMPTY;
            this.request = (switch (kind) {
                        case 0 -> outgoing(Request.get("http://a/0"));
                        case 3 -> outgoing(Request.post("http://a/3", new Written()));
                        case 4 -> passing(network.random(2) == 0 ? sent.length : Body.UNKNOWN);
                        case 5 -> outgoing(Request.post("http://a/5", bytes()).addHeader("Expect", "100-continue"));
                        case 6 -> outgoing(Request.of("HEAD", "http://a/6", Bytes.EMPTY));
                        case 7 -> outgoing(Request.of("PUT", "http://a/7", bytes()));
                        default -> outgoing(Request.post("http://a/" + kind, bytes()));
                    })
                    .decoding(DECODED);
        }

        private Bytes bytes() {
            return Bytes.copyOf(MemorySegment.ofArray(sent));
        }

        private static OutgoingRequest outgoing(Request request) {
            var built = BuiltRequest.copyOf(request);
            built.upload().ifPresent(Upload::begin);
            return OutgoingRequest.of(built, built.outbound().orElseThrow());
        }

        /// One that somebody else comes up with, now and then.
        private OutgoingRequest passing(long length) {
            var head = OutgoingHead.forwarding(Request.post("http://a/4", Bytes.EMPTY), "/4", "a")
                    .body(length, false);
            var upload = Upload.of(new Trickling(), length);
            upload.begin();
            return OutgoingRequest.passing(head, "POST /4", Bytes.EMPTY, Optional.of(upload));
        }

        void on(MemoryClientStream carriedBy) {
            stream = carriedBy;
            carriedBy.begin(this);
        }

        MemoryClientStream stream() {
            if (stream == null) throw new IllegalStateException();
            return stream;
        }

        ClientExchange exchange() {
            if (exchange == null) throw new IllegalStateException();
            return exchange;
        }

        void answerOn(MemoryClientStream carriedBy) {
            carriedBy.answer(status, fields, answer, network.random(2) == 0 ? BEHIND : Headers.EMPTY);
        }

        void takeAll() {
            stream().take(LARGEST);
            assertTrue(stream().hasAll());
        }

        void takeAllAndBeginHead() {
            takeAll();
            stream().partOfHead();
        }

        void takeAllAndBeginBody() {
            takeAll();
            answerOn(stream());
        }

        void giveUp() {
            hasGivenUp = true;
            exchange().drop(new Reset("given up"));
        }

        /// What user code does where it is called.
        private void mayDoWrong() {
            if (!mayBreak) return;
            switch (network.random(60)) {
                case 0 -> throw new IllegalArgumentException("user code");
                case 1 -> giveUp();
                case 2 -> {
                    giveUp();
                    throw new IllegalArgumentException("user code that has given up");
                }
                default -> {}
            }
        }

        @Override
        public OutgoingRequest request() {
            return request;
        }

        @Override
        public void begun(ClientExchange carrier) {
            exchange = carrier;
        }

        @Override
        public void interim(Response head) {
            assertEquals(103, head.status());
            mayDoWrong();
        }

        @Override
        public Optional<String> upgradeRefusal(Headers answered) {
            return wantsUpgrade ? Optional.empty() : Caller.super.upgradeRefusal(answered);
        }

        @Override
        public void upgraded(Upgraded connection) {
            assertTrue(wantsUpgrade);
        }

        @Override
        public void head(Response head) {
            gotStatus = head.status();
            mayDoWrong();
            rest();
        }

        /// Reads on later.
        private void rest() {
            if (!mayRest || hasGivenUp || network.random(5) > 0) return;
            var carrier = exchange();
            carrier.pause();
            network.loops().next().after(Duration.ofMillis(network.random(50)), () -> {
                if (told == 0 && !hasGivenUp) carrier.resume();
            });
        }

        @Override
        public void body(Input part) {
            mayDoWrong();
            var bytes = new byte[(int) part.remaining()];
            part.read(bytes, 0, bytes.length);
            got.writeBytes(bytes);
            rest();
        }

        @Override
        public void trailers(Headers trailers) {
            assertEquals(BEHIND, trailers);
            mayDoWrong();
        }

        @Override
        public void end() {
            told++;
            request.over();
        }

        @Override
        public void failed(Throwable cause) {
            told++;
            failure = cause;
            request.over();
        }

        @Override
        public boolean isOver() {
            return told > 0 || hasGivenUp;
        }

        @Override
        public String toString() {
            return request + ", told " + told + " times: " + failure;
        }

        /// As user code does.
        private final class Written implements BodyWriter {
            private int written;

            @Override
            public boolean write(Output out) {
                int part = Math.min(sent.length - written, 1 + network.random(700));
                out.write(sent, written, part);
                written += part;
                mayDoWrong();
                return written < sent.length;
            }

            @Override
            public void onClose() {
                closedUploads++;
            }
        }

        private final class Trickling implements SuspendableWriter {
            private int written;
            private int ready;
            private Runnable news = () -> {};

            @Override
            public void opened(Runnable toTell) {
                news = toTell;
                later();
            }

            private void later() {
                network.loops().next().after(Duration.ofMillis(network.random(40)), () -> {
                    if (isStill || closedUploads > 0) return;
                    ready += Math.min(sent.length - ready, network.random(2_000));
                    news.run();
                    later();
                });
            }

            @Override
            public boolean write(Output out) {
                assertTrue(ready == written || !stream().isFull(), "it is asked when there is room");
                out.write(sent, written, ready - written);
                written = ready;
                mayDoWrong();
                return written < sent.length;
            }

            @Override
            public Headers trailers() {
                return Headers.EMPTY;
            }

            @Override
            public void onClose() {
                closedUploads++;
                if (givesUpOnClose) giveUp();
            }
        }
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
}
