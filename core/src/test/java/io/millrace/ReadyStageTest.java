package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.ProtocolError;
import io.millrace.net.Session;
import io.millrace.net.Stage;
import io.millrace.net.TimedOut;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Stages that find out first whom they talk to.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadyStageTest {
    private static final InetSocketAddress SOMEBODY = new InetSocketAddress("192.0.2.1", 7);
    private static final InetSocketAddress HERE = new InetSocketAddress("192.0.2.2", 8);

    /// Ready when a '!' has come.
    private static final class Waiting implements Stage.Link {
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
        public Optional<SocketAddress> local() {
            return Optional.of(HERE);
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            while (!isReady && !in.isEmpty()) isReady = in.readByte() == '!';
            app.move(in);
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_handler_is_made_when_the_stage_is_ready(Loops kind) throws Exception {
        var made = new AtomicInteger();
        HandlerFactory greeting = conn -> {
            made.incrementAndGet();
            conn.output().writeUtf8("hello " + conn.remote() + " at " + conn.local() + "; ");
            return in -> conn.output().move(in);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Waiting()), greeting);
                var peer = RawPeer.of(server)) {
            peer.send("who");
            until(() -> loops.counters().getFirst().bytesReceived() == 3);
            assertEquals(0, made.get());
            peer.send("?!first").assertReads("hello /192.0.2.1:7 at /192.0.2.2:8; first");
            peer.send("second").assertReads("second");
            assertEquals(1, made.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_begins_when_the_stage_is_ready(Loops kind) throws Exception {
        Session session = conn -> {
            conn.output().writeUtf8(conn.remote() + ": ");
            while (conn.read()) conn.output().move(conn.input());
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(_ -> new Waiting()), session);
                var peer = RawPeer.of(server)) {
            peer.send("?!abc").assertReads("/192.0.2.1:7: abc");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_ends_before_has_had_no_handler(Loops kind) throws Exception {
        HandlerFactory never = conn -> {
            throw new AssertionError("a handler for " + conn);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Waiting()), never);
                var peer = RawPeer.of(server)) {
            peer.send("who").end().assertGone();
            until(() -> server.connections() == 0);
            until(() -> loops.counters().getFirst().slabBytesInUse() == 0);
        }
    }

    /// Connecting takes until there is a handler.
    @ParameterizedTest
    @EnumSource
    void a_client_whose_stage_is_never_ready_is_not_connected(Loops kind) throws Exception {
        HandlerFactory silent = conn -> in -> {};
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), silent)) {
            var to = Connect.to(server.address())
                    .loops(loops)
                    .timeout(Duration.ofMillis(50))
                    .through(_ -> new Waiting());
            assertThrows(TimedOut.class, () -> Tcp.connect(to));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_factory_that_throws_late_loses_its_own_connection_only(Loops kind) throws Exception {
        var opened = new AtomicInteger();
        HandlerFactory once = conn -> {
            if (opened.getAndIncrement() == 0) throw new UncheckedIOException(new ProtocolError("as told"));
            Handler echo = in -> conn.output().move(in);
            return echo;
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Waiting()), once);
                var first = RawPeer.of(server);
                var second = RawPeer.of(server)) {
            first.send("!x").assertReset();
            second.send("!y").assertReads("y");
        }
    }
}
