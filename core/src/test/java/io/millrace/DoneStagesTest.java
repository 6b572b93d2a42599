package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.net.Stage;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
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

    private static final String LONG = "0123456789".repeat(40_000);
    private static final TlsIdentity LOCALHOST = TlsIdentity.selfSigned("localhost");

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    /// Bytes as they are; counts what comes once it is done, and its end.
    private class Counting extends StagesTest.Plain {
        boolean isDone;

        @Override
        public boolean isDone() {
            return isDone;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            if (isDone) calls.incrementAndGet();
            app.move(in);
        }

        @Override
        public void closed() {
            closed.incrementAndGet();
        }
    }

    /// Counts what comes behind the '!' that it waits for.
    private final class Beginning extends Counting {
        @Override
        public boolean isReady() {
            return isDone;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            if (isDone) calls.incrementAndGet();
            while (!isDone && !in.isEmpty()) isDone = in.readByte() == '!';
            if (isDone) app.move(in);
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
            for (var server :
                    servers(local(loops).through(_ -> new Beginning()).through(_ -> new StagesTest.Plain()))) {
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

    /// Done with the first bytes, which it answers in several slabs.
    private final class Answering extends Counting {
        @Override
        public void receive(Input in, Output app, Output wire) {
            if (!isDone) wire.writeUtf8(LONG);
            isDone = true;
            app.move(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_stage_says_last_leaves_first(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            for (var server : servers(local(loops).through(_ -> new Answering()))) {
                closed.set(0);
                try (server;
                        var peer = RawPeer.of(server)) {
                    var sending = CompletableFuture.runAsync(() -> send(peer, LONG));
                    peer.assertReads(LONG + LONG);
                    until(() -> closed.get() == 1);
                    sending.get();
                    peer.assertEnd();
                }
            }
        }
    }

    /// Done before anything has arrived: a client that begins with a header.
    @ParameterizedTest
    @EnumSource
    void a_stage_that_only_speaks_first_leaves_when_it_has_spoken(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), ECHO_SESSION);
                var client =
                        Tcp.connect(Connect.to(server.address()).loops(loops).through(_ -> new Speaking()))) {
            client.output().writeUtf8("abc");
            client.flush();
            until(() -> closed.get() == 1);
            while (client.input().remaining() < "header abc".length()) assertTrue(client.read());
            assertEquals("header abc", client.input().readUtf8("header abc".length()));
            client.output().writeUtf8("def");
            client.end();
            while (client.read()) assertTrue(client.input().remaining() <= 3);
            assertEquals("def", client.input().readUtf8(3));
            assertEquals(0, calls.get());
        }
    }

    private final class Speaking extends Counting {
        Speaking() {
            isDone = true;
        }

        @Override
        public void open(Output wire) {
            wire.writeUtf8("header ");
        }
    }

    /// One that asks to be called again once it has left.
    @ParameterizedTest
    @EnumSource
    void who_has_left_is_not_called_again(Loops kind) throws Exception {
        var contexts = new CompletableFuture<Stage.Context>();
        Stage stage = context -> {
            contexts.complete(context);
            return new Speaking();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(stage), ECHO);
                var peer = RawPeer.of(server)) {
            peer.send("a").assertReads("header a");
            until(() -> closed.get() == 1);
            int before = calls.get();
            var context = contexts.get();
            context.connection().loop().execute(() -> {
                context.pause();
                context.resume();
            });
            Eventually.turns(loops, 3);
            peer.send("b").assertReads("b");
            peer.end().assertEnd();
            assertEquals(before, calls.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_reads_the_name_of_passed_tls_leaves_with_it(Loops kind) throws Exception {
        Stage passing = context -> {
            var link = Tls.passing().open(context);
            return new Telling(link, closed);
        };
        var tls = Tls.client("localhost").trusting(LOCALHOST.chain());
        try (var loops = kind.start(1);
                var behind = Tcp.serve(local(loops).through(Tls.server(LOCALHOST)), ECHO_SESSION);
                var server = Tcp.listen(local(loops).through(passing), Tunnel.to(behind.address()));
                var client =
                        Tcp.connect(Connect.to(server.address()).loops(loops).through(tls))) {
            until(() -> closed.get() == 1);
            client.output().writeUtf8("abc");
            assertTrue(client.read());
            assertEquals("abc", client.input().readUtf8(3));
        }
    }

    /// A link of somebody else's that says when it is closed.
    private record Telling(Stage.Link link, AtomicInteger closings) implements Stage.Link {
        @Override
        public boolean isReady() {
            return link.isReady();
        }

        @Override
        public boolean isDone() {
            return link.isDone();
        }

        @Override
        public void receive(Input in, Output app, Output wire) throws IOException {
            link.receive(in, app, wire);
        }

        @Override
        public void send(Input in, Output wire) throws IOException {
            link.send(in, wire);
        }

        @Override
        public void closed() {
            link.closed();
            closings.incrementAndGet();
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
