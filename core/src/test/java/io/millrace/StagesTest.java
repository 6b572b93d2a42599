package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.ProtocolError;
import io.millrace.net.Security;
import io.millrace.net.Session;
import io.millrace.net.Stage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Several stages in a row, and stages that pause.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StagesTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Session ECHO_SESSION = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };
    private static final SocketAddress SOMEBODY = new InetSocketAddress("192.0.2.1", 7);
    private static final Security SECURITY =
            new Security("TLSv1.3", "TLS_AES_128_GCM_SHA256", Optional.of("a.test"), Optional.empty(), List.of());

    /// Bytes as they are.
    static class Plain implements Stage.Link {
        @Override
        public void receive(Input in, Output app, Output wire) throws IOException {
            app.move(in);
        }

        @Override
        public void send(Input in, Output wire) throws IOException {
            wire.move(in);
        }
    }

    /// Puts a letter in front of each byte that leaves, and takes it off each that comes.
    private static final class Lettered extends Plain {
        private final int letter;

        Lettered(char letter) {
            this.letter = letter;
        }

        @Override
        public void receive(Input in, Output app, Output wire) throws ProtocolError {
            while (in.remaining() >= 2) {
                if (in.readByte() != letter) throw new ProtocolError("this is not for " + (char) letter);
                app.writeByte(in.readByte());
            }
        }

        @Override
        public void send(Input in, Output wire) {
            while (!in.isEmpty()) wire.writeByte(letter).writeByte(in.readByte());
        }

        @Override
        public void end(Output wire) {
            wire.writeByte(Character.toUpperCase(letter)).writeByte('.');
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_first_stage_is_next_to_the_wire(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            for (var server : List.of(
                    Tcp.listen(local(loops).through(_ -> new Lettered('a')).through(_ -> new Lettered('b')), ECHO),
                    Tcp.serve(
                            local(loops).through(_ -> new Lettered('a')).through(_ -> new Lettered('b')),
                            ECHO_SESSION))) {
                try (server;
                        var peer = RawPeer.of(server)) {
                    peer.send("abaxabay").assertReads("abaxabay");
                    // The last words, outside in.
                    peer.end().assertReads("aBa.A.");
                    peer.assertEnd();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytes_that_come_one_by_one_pass_all_of_them(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops).through(_ -> new Lettered('a')).through(_ -> new Lettered('b')), ECHO);
                var peer = RawPeer.of(server)) {
            for (var each : List.of("a", "b", "a", "x", "a", "b", "a", "y")) {
                peer.send(each);
                Eventually.turns(loops, 2);
            }
            peer.assertReads("abaxabay");
        }
    }

    /// Ready when a '!' has come.
    private static final class Waiting extends Plain {
        private boolean isReady;

        @Override
        public boolean isReady() {
            return isReady;
        }

        @Override
        public Optional<SocketAddress> remote() {
            return Optional.of(SOMEBODY);
        }

        @Override
        public Optional<Security> security() {
            return Optional.of(SECURITY);
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            while (!isReady && !in.isEmpty()) isReady = in.readByte() == '!';
            if (isReady) app.move(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_is_opened_when_the_one_before_knows_who_it_is(Loops kind) throws Exception {
        var peers = new ConcurrentLinkedQueue<SocketAddress>();
        HandlerFactory telling = conn -> {
            conn.output().writeUtf8(conn.security().orElseThrow().protocol() + " ");
            return in -> conn.output().move(in);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(
                        local(loops).through(_ -> new Waiting()).through(context -> {
                            peers.add(context.connection().remote());
                            return new Waiting();
                        }),
                        telling);
                var peer = RawPeer.of(server)) {
            peer.send("?");
            until(() -> loops.counters().getFirst().bytesReceived() == 1);
            assertEquals(List.of(), List.copyOf(peers));
            peer.send("!?");
            until(() -> !peers.isEmpty());
            assertEquals(SOMEBODY, peers.element());
            peer.send("!x").assertReads("TLSv1.3 x");
        }
    }

    @ParameterizedTest
    @EnumSource
    void in_direct_style_the_connection_knows_how_it_is_secured(Loops kind) throws Exception {
        Session session = conn -> conn.output().writeUtf8(conn.security().toString());
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(_ -> new Waiting()), session);
                var plain = Tcp.serve(local(loops), session);
                var peer = RawPeer.of(server);
                var other = RawPeer.of(plain)) {
            peer.send("!").assertReads(Optional.of(SECURITY).toString());
            other.assertReads("Optional.empty");
        }
    }

    /// Each '?' is a task for somebody else: what is behind it waits until that is done.
    private static final class Asking extends Plain {
        private final Stage.Context context;
        private final CountDownLatch mayAnswer;
        private boolean isAnswered;

        Asking(Stage.Context context, CountDownLatch mayAnswer) {
            this.context = context;
            this.mayAnswer = mayAnswer;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            if (isAnswered) wire.writeUtf8("(answered)");
            isAnswered = false;
            while (!in.isEmpty()) {
                int next = in.readByte();
                if (next == '?') {
                    ask();
                    return;
                }
                app.writeByte(next);
            }
        }

        private void ask() {
            context.pause();
            var _ = context.connection().loop().blocking(() -> {
                mayAnswer.await();
                isAnswered = true;
                context.resume();
                return null;
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_arrives_and_what_leaves_waits_while_a_stage_is_paused(Loops kind) throws Exception {
        var mayAnswer = new CountDownLatch(1);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(context -> new Asking(context, mayAnswer)), ECHO);
                var peer = RawPeer.of(server)) {
            peer.send("ab?cd");
            until(() -> loops.counters().getFirst().bytesReceived() == 5);
            peer.send("e?f");
            Eventually.turns(loops, 5);
            assertEquals(0, loops.counters().getFirst().bytesSent());
            mayAnswer.countDown();
            // Where the second one stands depends on how much had arrived.
            var said = peer.read("(answered)(answered)abcdef".length());
            assertTrue(said.startsWith("(answered)"), said);
            assertEquals("abcdef", said.replace("(answered)", ""));
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_end_that_arrives_meanwhile_waits_as_well(Loops kind) throws Exception {
        var mayAnswer = new CountDownLatch(1);
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(context -> new Asking(context, mayAnswer)), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("a?b").end();
            var heard = handlers.next();
            until(() -> heard.callsSoFar().contains("a"));
            Eventually.turns(loops, 5);
            assertEquals(List.of("a"), heard.callsSoFar());
            mayAnswer.countDown();
            until(() -> heard.callsSoFar().contains("end"));
            assertEquals(List.of("a", "b", "end"), heard.callsSoFar().subList(0, 3));
        }
    }

    /// The peer has to wait: nobody keeps what it sends for ever.
    @ParameterizedTest
    @EnumSource
    void a_paused_stage_keeps_no_more_than_was_under_way(Loops kind) throws Exception {
        var mayAnswer = new CountDownLatch(1);
        try (var loops = kind.start(1);
                var server = Tcp.listen(
                        local(loops).through(context -> new Asking(context, mayAnswer)),
                        _ -> in -> in.skip(in.remaining()));
                var peer = RawPeer.of(server)) {
            peer.send("?");
            until(() -> loops.counters().getFirst().bytesReceived() == 1);
            var sending = peer.sendForEver();
            Eventually.untilStill(
                    "the bytes received", () -> loops.counters().getFirst().bytesReceived(), 50);
            assertTrue(loops.counters().getFirst().bytesReceived() < 1 << 20);
            mayAnswer.countDown();
            until(() -> loops.counters().getFirst().bytesReceived() > 1 << 20);
            peer.reset();
            sending.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_paused_stage_holds_back_leaves_before_the_end(Loops kind) throws Exception {
        var contexts = new CompletableFuture<Stage.Context>();
        Stage paused = context -> {
            context.pause();
            contexts.complete(context);
            return new Plain();
        };
        HandlerFactory closing = conn -> {
            conn.output().writeUtf8("all of it");
            conn.close();
            return in -> {};
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(paused), closing);
                var peer = RawPeer.of(server)) {
            var context = contexts.get();
            Eventually.turns(loops, 5);
            assertEquals(1, server.connections());
            context.resume();
            peer.assertReads("all of it");
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_that_never_goes_on_has_the_time_of_a_close(Loops kind) throws Exception {
        HandlerFactory closing = conn -> {
            conn.output().writeUtf8("all of it");
            conn.close();
            return in -> {};
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(
                        local(loops).closeTimeout(Duration.ofMillis(50)).through(context -> {
                            context.pause();
                            return new Plain();
                        }),
                        closing);
                var peer = RawPeer.of(server)) {
            peer.assertGone();
            until(() -> server.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_resumes_too_late_does_no_harm(Loops kind) throws Exception {
        var context = new AtomicReference<Stage.Context>();
        var closed = new AtomicInteger();
        Stage paused = its -> {
            its.pause();
            context.set(its);
            return new Plain() {
                @Override
                public void closed() {
                    closed.incrementAndGet();
                }
            };
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(paused), ECHO);
                var peer = RawPeer.of(server)) {
            until(() -> context.get() != null);
            context.get().connection().abort();
            peer.assertGone();
            until(() -> server.connections() == 0);
            context.get().resume();
            Eventually.turns(loops, 3);
            assertEquals(1, closed.get());
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
        }
    }

    /// The end is a byte of its own protocol, and not that of the connection.
    private static final class Dotted extends Plain {
        private final Stage.Context context;

        Dotted(Stage.Context context) {
            this.context = context;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            while (!in.isEmpty()) {
                int next = in.readByte();
                if (next == '.') context.ended();
                else app.writeByte(next);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_may_know_of_the_end_before_the_wire_does(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(Dotted::new).through(_ -> new Plain()), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("ab.");
            var heard = handlers.next();
            until(() -> heard.callsSoFar().contains("end"));
            assertEquals(List.of("ab", "end"), heard.callsSoFar().subList(0, 2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_reads_until_then(Loops kind) throws Exception {
        Session session = conn -> {
            while (conn.read()) conn.output().move(conn.input());
            conn.output().writeUtf8("bye");
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(Dotted::new), session);
                var peer = RawPeer.of(server)) {
            peer.send("ab.").assertReads("abbye");
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_may_drop_its_connection_from_a_timer(Loops kind) throws Exception {
        Stage impatient = context -> {
            var loop = context.connection().loop();
            var _ = loop.after(Duration.ofMillis(1), () -> context.fail(new ProtocolError("too slow")));
            return new Waiting();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(impatient), ECHO);
                var peer = RawPeer.of(server)) {
            peer.assertGone();
            until(() -> server.connections() == 0);
        }
    }

    /// For which an end of the connection is never in order.
    private static final class Strict extends Plain {
        @Override
        public void ended() throws IOException {
            throw new ProtocolError("cut");
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_came_before_a_cut_is_read_first(Loops kind) throws Exception {
        var hasRead = new CountDownLatch(1);
        var mayRead = new CountDownLatch(1);
        var heard = new ConcurrentLinkedQueue<String>();
        var thrown = new CompletableFuture<Throwable>();
        Session busy = conn -> {
            conn.read();
            hasRead.countDown();
            Uninterrupted.await(mayRead);
            try {
                while (conn.read()) heard.add(conn.input().readUtf8(conn.input().remaining()));
            } catch (IOException e) {
                thrown.complete(e);
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(_ -> new Strict()), busy);
                var peer = RawPeer.of(server)) {
            peer.send("a");
            // A slow session would be shown both at once.
            hasRead.await();
            peer.send("b").end();
            until(() -> loops.counters().getFirst().bytesReceived() == 2);
            Eventually.turns(loops, 3);
            mayRead.countDown();
            assertEquals("cut", thrown.get().getMessage());
            assertEquals(List.of("ab"), List.copyOf(heard));
            until(() -> server.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void handlers_are_shown_it_first_as_well(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            for (var dispatch : List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(1))) {
                var mayGo = new CountDownLatch(1);
                var calls = new ConcurrentLinkedQueue<String>();
                HandlerFactory busy = conn -> new Handler() {
                    @Override
                    public void onInput(Input in) {
                        if (!dispatch.equals(Dispatch.loop())) Uninterrupted.await(mayGo);
                        calls.add(in.readUtf8(in.remaining()));
                    }

                    @Override
                    public void onEnd(Connection ended) {
                        calls.add("end");
                    }

                    @Override
                    public void onClose(@Nullable IOException cause) {
                        calls.add(cause == null ? "closed" : String.valueOf(cause.getMessage()));
                    }
                };
                long before = loops.counters().getFirst().bytesReceived();
                try (var server = Tcp.listen(local(loops).dispatch(dispatch).through(_ -> new Strict()), busy);
                        var peer = RawPeer.of(server)) {
                    peer.send("a");
                    until(() -> loops.counters().getFirst().bytesReceived() == before + 1);
                    peer.send("b").end();
                    until(() -> loops.counters().getFirst().bytesReceived() == before + 2);
                    Eventually.turns(loops, 3);
                    mayGo.countDown();
                    until(() -> calls.contains("cut"));
                    assertEquals("abcut", String.join("", calls));
                }
            }
        }
    }

    /// Which may wait in it, and another connection of the loop would find what it left half done.
    @ParameterizedTest
    @EnumSource
    void no_virtual_thread_is_ever_in_a_stage(Loops kind) throws Exception {
        var wasVirtual = new AtomicBoolean();
        Stage noting = _ -> new Plain() {
            @Override
            public void receive(Input in, Output app, Output wire) throws IOException {
                wasVirtual.compareAndSet(false, Thread.currentThread().isVirtual());
                super.receive(in, app, wire);
            }

            @Override
            public void send(Input in, Output wire) throws IOException {
                wasVirtual.compareAndSet(false, Thread.currentThread().isVirtual());
                super.send(in, wire);
            }
        };
        Session flushing = conn -> {
            while (conn.read()) {
                conn.output().move(conn.input());
                conn.flush();
            }
        };
        try (var loops = kind.trusting(1)) {
            for (var server : List.of(
                    Tcp.listen(local(loops).through(noting).dispatch(Dispatch.virtual()), ECHO),
                    Tcp.serve(local(loops).through(noting), flushing))) {
                try (server;
                        var peer = RawPeer.of(server)) {
                    for (int i = 0; i < 100; i++) peer.send("x").assertReads("x");
                }
            }
        }
        assertEquals(false, wasVirtual.get());
    }

    @ParameterizedTest
    @EnumSource
    void both_sides_of_a_connection_may_have_several(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops).through(_ -> new Lettered('a')).through(_ -> new Lettered('b')), ECHO);
                var conn = Tcp.connect(Connect.to(server.address())
                        .loops(loops)
                        .through(_ -> new Lettered('a'))
                        .through(_ -> new Lettered('b')))) {
            conn.output().writeUtf8("hello");
            while (conn.input().remaining() < 5) assertTrue(conn.read());
            assertEquals("hello", conn.input().readUtf8(5));
        }
    }
}
