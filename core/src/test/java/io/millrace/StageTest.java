package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.BlockingConnection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.net.Stage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Stages between the wire and user code: the wire log, and one that changes every byte.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StageTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final String LOG = "io.millrace.test.wire";

    @ParameterizedTest
    @EnumSource
    void the_wire_log_shows_what_crosses_in_hexadecimal_and_not_too_much_of_it(Loops kind) throws Exception {
        try (var log = CapturedLog.of(LOG);
                var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(wireLog(4)), ECHO);
                var peer = RawPeer.of(server)) {
            peer.send("ABCDEF").assertReads("ABCDEF");
            peer.end().assertEnd();
            until(() -> server.connections() == 0);
            var from = peer.socket().getLocalSocketAddress();
            var lines = log.linesSoFar().stream()
                    .map(line -> line.substring(line.indexOf("FINE: ") + 6).strip())
                    .toList();
            assertEquals(
                    List.of(
                            from + " open",
                            from + " -> 6 bytes: 41 42 43 44 …",
                            from + " <- 6 bytes: 41 42 43 44 …",
                            from + " -> end",
                            from + " <- end"),
                    lines);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_wire_log_changes_nothing(Loops kind) throws Exception {
        try (var log = CapturedLog.of(LOG);
                var loops = kind.start(1);
                var callback = Tcp.listen(local(loops).through(wireLog(8)), ECHO);
                var pool = Tcp.listen(local(loops).through(wireLog(8)).dispatch(Dispatch.pool(2)), ECHO);
                var direct = Tcp.serve(local(loops).through(wireLog(8)), StageTest::echo)) {
            TcpTest.assertEchoes(callback);
            TcpTest.assertEchoes(pool);
            TcpTest.assertEchoes(direct);
            assertFalse(log.linesSoFar().isEmpty());
        }
    }

    private static void echo(BlockingConnection conn) throws IOException {
        while (conn.read()) conn.output().move(conn.input());
    }

    private static Stage wireLog(int maxBytes) {
        return WireLog.to(System.getLogger(LOG), Level.DEBUG, maxBytes);
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_that_changes_every_byte_is_undone_by_its_like(Loops kind) throws Exception {
        var sent = new byte[3 << 20];
        new Random(9).nextBytes(sent);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Inverted()), ECHO);
                var client =
                        Tcp.connect(Connect.to(server.address()).loops(loops).through(_ -> new Inverted()));
                var plain = RawPeer.of(server)) {
            plain.send("plain").assertReads("plain");
            var heard = new ByteArrayOutputStream();
            for (int at = 0; at < sent.length; at += 64 << 10) {
                client.output().write(sent, at, Math.min(64 << 10, sent.length - at));
                assertTrue(client.read());
                take(client.input(), heard);
            }
            client.end();
            while (client.read()) take(client.input(), heard);
            assertArrayEquals(sent, heard.toByteArray());
        }
    }

    private static void take(Input in, ByteArrayOutputStream to) {
        var bytes = new byte[Math.toIntExact(in.remaining())];
        in.read(bytes, 0, bytes.length);
        to.writeBytes(bytes);
    }

    /// Every byte's complement.
    private static final class Inverted implements Stage.Link {
        @Override
        public void receive(Input in, Output app, Output wire) {
            while (!in.isEmpty()) app.writeByte(~in.readByte());
        }

        @Override
        public void send(Input in, Output wire) {
            while (!in.isEmpty()) wire.writeByte(~in.readByte());
        }
    }

    /// Doubles what is written and adds a last word, so that bytes written and bytes on the wire differ.
    private static final class Doubling implements Stage.Link {
        @Override
        public void receive(Input in, Output app, Output wire) {
            app.move(in);
        }

        @Override
        public void send(Input in, Output wire) {
            while (!in.isEmpty()) {
                byte value = in.readByte();
                wire.writeByte(value).writeByte(value);
            }
        }

        @Override
        public void end(Output wire) {
            wire.writeByte('!');
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_last_word_of_a_stage_comes_behind_what_was_written(Loops kind) throws Exception {
        HandlerFactory once = conn -> in -> {
            conn.output().move(in);
            conn.close();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Doubling()), once);
                var peer = RawPeer.of(server)) {
            peer.send("abc");
            assertEquals("aabbcc!", new String(peer.readAll(), UTF_8));
        }
    }

    /// The loop must not touch the output while another thread writes to it, also not for the stage's last word.
    @ParameterizedTest
    @EnumSource
    void the_last_word_of_a_stage_waits_for_the_end_of_a_loan(Loops kind) throws Exception {
        var closing = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        HandlerFactory late = conn -> in -> {
            in.skip(in.remaining());
            conn.output().writeUtf8("a");
            conn.close();
            closing.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            conn.output().writeUtf8("b");
        };
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops).through(_ -> new Doubling()).dispatch(Dispatch.pool(1)), late);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            closing.await();
            Eventually.turns(loops, 2);
            goOn.countDown();
            assertEquals("aabb!", new String(peer.readAll(), UTF_8));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_half_close_passes_through_a_stage(Loops kind) throws Exception {
        var heard = new CompletableFuture<String>();
        Session last = conn -> {
            conn.output().writeUtf8("bye");
            conn.end();
            conn.read();
            heard.complete(conn.input().readUtf8(conn.input().remaining()));
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(_ -> new Doubling()), last);
                var peer = RawPeer.of(server)) {
            assertEquals("bbyyee!", new String(peer.readAll(), UTF_8));
            peer.send("later").end();
            assertEquals("later", heard.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void write_completions_count_what_was_written_and_not_what_a_stage_made_of_it(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Doubling()), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var heard = handlers.next();
            var sent = new CompletableFuture<String>();
            int length = 8 << 20;
            ClosingTest.onLoop(heard, () -> {
                heard.conn.output().write(new byte[length], 0, length);
                heard.conn.whenSent(() -> sent.complete("sent"));
            });
            // Half of the doubled bytes are as many as were written, and the kernel does not have the rest.
            peer.socket().getInputStream().skipNBytes(length / 2);
            WatermarkTest.untilStill(loops);
            assertFalse(sent.isDone());
            peer.socket().getInputStream().skipNBytes(2L * length - length / 2);
            sent.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_that_throws_loses_its_own_connection_only(Loops kind) throws Exception {
        Stage picky = _ -> new Stage.Link() {
            @Override
            public void receive(Input in, Output app, Output wire) throws IOException {
                wire.writeUtf8("nobody hears this");
                if (in.peekByte(0) == '!') throw new IOException("as told");
                app.move(in);
            }

            @Override
            public void send(Input in, Output wire) throws IOException {
                if (in.peekByte(0) == '?') throw new IOException("as told");
                wire.move(in);
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(picky), ECHO)) {
            for (var wrong : List.of("!", "?")) {
                try (var peer = RawPeer.of(server)) {
                    peer.send(wrong).assertReset();
                }
            }
            try (var peer = RawPeer.of(server)) {
                peer.send("x").assertReads("nobody hears thisx");
            }
        }
    }
}
