package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.loop.CoreGuards;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.net.Session;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Sessions and handlers that know nothing of event loops, and keep the thread that runs them.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OffendersTest {
    static Stream<Arguments> offences() {
        return Stream.of(Loops.NIO, Loops.EPOLL, Loops.URING)
                .flatMap(kind -> Stream.of(Offence.values())
                        .filter(Offence::keepsItsThread)
                        .flatMap(offence ->
                                Stream.of(true, false).map(isDirect -> Arguments.of(kind, offence, isDirect))));
    }

    @ParameterizedTest
    @MethodSource("offences")
    void who_keeps_the_thread_in_each_call_never_runs_on_the_loop(Loops kind, Offence offence, boolean isDirect)
            throws Exception {
        var wasOnLoop = new AtomicBoolean();
        try (var loops = kind.setup().threads(1).earnAfter(5).start();
                var scene = new OffenceScene(20, loops);
                var server = serve(loops, isDirect, (loop, _) -> {
                    wasOnLoop.compareAndSet(false, loop.inLoop());
                    offence.commit(scene);
                });
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 10; i++) peer.send("x").assertReads("x");
            assertEquals(false, wasOnLoop.get());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*WITHOUT_CARRIERS")
    void who_does_not_is_on_the_loop_soon(Loops kind) throws Exception {
        for (var isDirect : List.of(true, false)) {
            var isOnLoop = new AtomicBoolean();
            try (var loops = kind.setup().threads(1).earnAfter(1000).start();
                    var server = serve(loops, isDirect, (loop, _) -> isOnLoop.set(loop.inLoop()));
                    var peer = RawPeer.of(server)) {
                while (!isOnLoop.get()) peer.send("x").assertReads("x");
            }
        }
    }

    /// It goes on elsewhere at once, is told of with the frame that kept the loop, and comes back.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*WITHOUT_CARRIERS")
    void who_keeps_the_loop_once_loses_it_and_earns_it_again(Loops kind) throws Exception {
        for (var isDirect : List.of(true, false)) {
            long before = CoreGuards.LOOP_KEPT.count();
            var places = new ConcurrentLinkedQueue<Boolean>();
            try (var log = CapturedLog.of("io.millrace.guard");
                    var loops = kind.trusting(1);
                    var server = serve(loops, isDirect, (loop, text) -> {
                        places.add(loop.inLoop());
                        if (text.equals("!")) OffendersTest.spinUntilLost(before);
                    });
                    var peer = RawPeer.of(server)) {
                peer.send("x").assertReads("x");
                assertEquals(true, places.remove());
                while (places.isEmpty() || places.remove()) peer.send("!").assertReads("!");
                until(() -> CoreGuards.LOOP_KEPT.count() > before);
                do peer.send("x").assertReads("x");
                while (!places.remove());
                for (var line : log.linesSoFar()) {
                    if (line.contains("loop.kept")) assertTrue(line.contains("OffendersTest.spinUntilLost"), line);
                }
            }
        }
    }

    private static void spinUntilLost(long before) {
        // It is told when the turn is over.
        if (CoreGuards.LOOP_KEPT.count() == before) Offence.spin(40);
    }

    /// What a session or a handler does with a piece of text before it answers.
    @FunctionalInterface
    private interface Work {
        void on(Loop loop, String text) throws IOException;
    }

    private static Server serve(EventLoops loops, boolean isDirect, Work work) {
        Session session = conn -> {
            while (conn.read()) {
                work.on(conn.loop(), text(conn.input()));
                conn.output().move(conn.input());
            }
        };
        HandlerFactory handler = conn -> in -> {
            work.on(conn.loop(), text(in));
            conn.output().move(in);
        };
        return isDirect
                ? Tcp.serve(local(loops), session)
                : Tcp.listen(local(loops).dispatch(Dispatch.virtual()), handler);
    }

    private static String text(Input in) {
        var text = new StringBuilder();
        for (long i = 0; i < in.remaining(); i++) text.append((char) in.peekByte(i));
        return text.toString();
    }
}
