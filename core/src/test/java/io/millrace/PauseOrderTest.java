package io.millrace;

import static io.millrace.Eventually.turns;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Input;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.MessageHandlerFactory;
import io.millrace.codec.Messages;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A pause of one thread and a resumption of another: the last call decides, also when the loop is one of them and
/// does at once what the other thread has to hand over.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PauseOrderTest {
    private static final Framing FRAMES = Framing.lengthPrefixed(1 << 10);
    private static final Codec<String> TEXT = Codec.utf8();

    /// Leaves unread what comes first, and pauses.
    private static Handlers<Heard> pausing() {
        return new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                calls.add(in.remaining() + " bytes");
                if (calls.size() == 1) conn.pause();
                else in.skip(in.remaining());
            }
        });
    }

    /// Both in one turn of the loop, whose tasks come later.
    private static void inOneTurn(Connection conn, Runnable elsewhere, Runnable here) throws Exception {
        CompletableFuture.runAsync(
                        () -> {
                            CompletableFuture.runAsync(elsewhere, Thread.ofPlatform()::start)
                                    .join();
                            here.run();
                        },
                        conn.loop())
                .get();
    }

    @ParameterizedTest
    @EnumSource
    void a_pause_that_is_on_its_way_does_not_overtake_the_resumption_after_it(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            inOneTurn(heard.conn, heard.conn::pause, heard.conn::resume);
            turns(loops, 2);
            peer.send("a");
            assertEquals("a", heard.calls.poll(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_resumption_that_is_on_its_way_does_not_overtake_the_pause_after_it(Loops kind) throws Exception {
        var handlers = pausing();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("abc");
            var heard = handlers.next();
            Eventually.until(() -> heard.calls.size() == 1);
            inOneTurn(heard.conn, heard.conn::resume, heard.conn::pause);
            turns(loops, 5);
            assertEquals(List.of("3 bytes"), heard.callsSoFar());
            heard.conn.resume();
            Eventually.until(() -> heard.calls.size() == 2);
            assertEquals(List.of("3 bytes", "3 bytes"), heard.callsSoFar());
        }
    }

    /// Pauses at the first message on its worker, and the loop resumes before it knows of that.
    private static MessageHandlerFactory<String> resumedByItsLoop(LinkedBlockingQueue<String> heard) {
        return peer -> text -> {
            heard.add(text);
            if (!text.equals("0")) return;
            Loop loop = peer.connection().loop();
            var isPaused = new CompletableFuture<Boolean>();
            var isBusy = new CompletableFuture<Boolean>();
            var isResumed = CompletableFuture.runAsync(
                    () -> {
                        isBusy.complete(true);
                        isPaused.join();
                        peer.resume();
                    },
                    loop);
            isBusy.join();
            peer.pause();
            isPaused.complete(true);
            isResumed.join();
        };
    }

    @ParameterizedTest
    @EnumSource
    void messages_that_were_left_for_a_pause_come_after_a_resumption_that_has_overtaken_it(Loops kind)
            throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        var on = Dispatch.pool(1);
        try (var loops = new CheckedLoops(kind.start(1));
                var server =
                        Tcp.listen(loops.listen().dispatch(on), Messages.over(FRAMES, TEXT, resumedByItsLoop(heard)));
                var client = loops.connect(server, FRAMES, TEXT)) {
            for (int i = 0; i < 10; i++) client.send("" + i);
            client.flush();
            for (int i = 0; i < 10; i++) assertEquals("" + i, heard.poll(20, TimeUnit.SECONDS));
        }
    }
}
