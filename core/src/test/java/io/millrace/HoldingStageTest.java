package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static io.millrace.WatermarkTest.assertAtMost;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.Stage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Stages that keep something to themselves, as every one with a handshake or records of its own does.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HoldingStageTest {
    /// Lets nothing out before something has come in.
    private static final class Handshake implements Stage.Link {
        private boolean isDone;

        @Override
        public void receive(Input in, Output app, Output wire) {
            isDone = true;
            in.skip(in.remaining());
        }

        @Override
        public void send(Input in, Output wire) {
            if (isDone) wire.move(in);
        }
    }

    /// Waits for a record that never ends.
    private static final class Endless implements Stage.Link {
        @Override
        public void receive(Input in, Output app, Output wire) {}

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_stage_held_back_leaves_when_something_arrives(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Handshake()), conn -> {
                    conn.output().writeUtf8("hello");
                    return in -> in.skip(in.remaining());
                });
                var peer = RawPeer.of(server)) {
            peer.send("go").assertReads("hello");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_beginning_that_a_stage_waits_with_pins_a_small_slab(Loops kind) throws Exception {
        int peers = 32;
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Endless()), Handlers.heard())) {
            var all = new ArrayList<RawPeer>();
            for (int i = 0; i < peers; i++) all.add(RawPeer.of(server).send("x"));
            until(() -> loops.counters().getFirst().bytesReceived() == peers);
            Eventually.turns(loops, 2);
            assertAtMost(peers * 2048L, loops.counters().getFirst().slabBytesInUse());
            all.forEach(RawPeer::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stage_that_takes_nothing_has_the_limit_of_a_handler(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(_ -> new Endless()), handlers);
                var peer = RawPeer.of(server)) {
            peer.sendForEver();
            var cause = handlers.next().closed.get();
            assertTrue(cause.startsWith("Overloaded: "), cause);
            assertTrue(cause.contains("input.unread"), cause);
        }
    }

    @ParameterizedTest
    @EnumSource
    void output_that_a_stage_holds_back_has_the_limit_of_output(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops).through(_ -> new Handshake()).outputLimit(1 << 20), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            var speaking = heard.conn.loop();
            for (int i = 0; i < 64; i++) {
                speaking.execute(() -> heard.conn.output().write(new byte[64 << 10], 0, 64 << 10));
                Eventually.turns(loops, 1);
            }
            var cause = heard.closed.get();
            assertTrue(cause.startsWith("Overloaded: "), cause);
            assertTrue(cause.contains("output.unsent"), cause);
            peer.assertGone();
        }
    }

    /// And hands on something all the same.
    @ParameterizedTest
    @EnumSource
    void nothing_is_called_after_a_stage_aborted_its_connection(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(HoldingStageTest::aborting), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertGone();
            var heard = handlers.next();
            heard.closed.get();
            Eventually.turns(loops, 2);
            assertEquals(List.of("close"), heard.callsSoFar());
        }
    }

    private static Stage.Link aborting(Stage.Context context) {
        var conn = context.connection();
        return new Stage.Link() {
            @Override
            public void receive(Input in, Output app, Output wire) {
                conn.abort();
                app.writeUtf8("late");
            }

            @Override
            public void send(Input in, Output wire) {
                wire.move(in);
            }
        };
    }
}
