package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.net.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Stages that are there for the beginning only.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoneStagesTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Session ECHO_SESSION = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    /// Counts what comes behind the '!' that it waits for.
    private final class Beginning implements Stage.Link {
        private boolean isDone;

        @Override
        public boolean isReady() {
            return isDone;
        }

        @Override
        public boolean isDone() {
            return isDone;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            if (isDone) calls.incrementAndGet();
            while (!isDone && !in.isEmpty()) isDone = in.readByte() == '!';
            if (isDone) app.move(in);
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }

        @Override
        public void closed() {
            closed.incrementAndGet();
        }
    }

    /// Never done.
    private static final class Staying implements Stage.Link {
        @Override
        public void receive(Input in, Output app, Output wire) {
            app.move(in);
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }
    }

    private List<Server> servers(Listen on) {
        return List.of(Tcp.listen(on, ECHO), Tcp.serve(on, ECHO_SESSION));
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_goes_on_without_stages_that_are_done(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            for (var server : servers(local(loops).through(_ -> new Beginning()).through(_ -> new Beginning()))) {
                closed.set(0);
                try (server;
                        var peer = RawPeer.of(server)) {
                    peer.send("?!?!abc").assertReads("abc");
                    until(() -> closed.get() == 2);
                    calls.set(0);
                    peer.send("def").assertReads("def");
                    peer.end().assertEnd();
                    until(() -> server.connections() == 0);
                    assertEquals(0, calls.get());
                    assertEquals(2, closed.get());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_that_is_not_done_keeps_the_others(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            for (var server : servers(local(loops).through(_ -> new Beginning()).through(_ -> new Staying()))) {
                calls.set(0);
                closed.set(0);
                try (server;
                        var peer = RawPeer.of(server)) {
                    peer.send("!abc").assertReads("abc");
                    peer.send("def").assertReads("def");
                    assertEquals(1, calls.get());
                    assertEquals(0, closed.get());
                    peer.end().assertEnd();
                    until(() -> closed.get() == 1);
                }
            }
        }
    }

    /// Whether it was read byte by byte or at once, and whatever is on its way back.
    @ParameterizedTest
    @EnumSource
    void nothing_is_lost_or_out_of_order_when_they_leave(Loops kind) throws Exception {
        var lines = "0123456789".repeat(40_000);
        try (var loops = kind.start(1)) {
            for (var server : servers(local(loops).through(_ -> new Beginning()))) {
                try (server;
                        var peer = RawPeer.of(server)) {
                    peer.send("!");
                    Eventually.turns(loops, 2);
                    var sending = CompletableFuture.runAsync(() -> send(peer, lines));
                    peer.assertReads(lines);
                    sending.get();
                    peer.assertEnd();
                }
            }
        }
    }

    private static void send(RawPeer peer, String text) {
        try {
            peer.send(text).end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
