package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.loop.Guard;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.net.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Sessions and handlers that know nothing of event loops, and keep the thread that runs them.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OffendersTest {
    private static final int FILE_BYTES = 4 << 20;

    @TempDir
    private static Path folder;

    /// What keeps a thread.
    enum Offence {
        COMPUTES {
            @Override
            void commit() {
                spin(20);
            }
        },
        READS_A_FILE {
            @Override
            void commit() throws IOException {
                var file = folder.resolve("file");
                if (!Files.exists(file)) Files.write(file, new byte[FILE_BYTES]);
                for (int i = 0; i < 20; i++) {
                    try (var in = Files.newInputStream(file)) {
                        in.transferTo(OutputStream.nullOutputStream());
                    }
                }
            }
        },
        RESOLVES_A_NAME {
            @Override
            void commit() throws IOException {
                var _ = InetAddress.getAllByName("localhost");
                spin(5);
            }
        },
        SLEEPS_IN_NATIVE_CODE {
            @Override
            void commit() {
                try {
                    var _ = (int) USLEEP.invokeExact(20_000);
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
            }
        },
        WAITS_IN_A_STATIC_INITIALISER {
            @Override
            void commit() throws IOException {
                initialise();
            }
        };

        abstract void commit() throws IOException;
    }

    @SuppressWarnings("restricted")
    private static final MethodHandle USLEEP = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("usleep"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    /// A class whose initialiser keeps its thread; each time another one, made of its bytes.
    @SuppressWarnings("UnusedNestedClass")
    private static final class Slow {
        static {
            spin(20);
        }

        private Slow() {}
    }

    private static void initialise() throws IOException {
        try (InputStream in = OffendersTest.class.getResourceAsStream("OffendersTest$Slow.class")) {
            var bytes = requireNonNull(in).readAllBytes();
            MethodHandles.lookup().defineHiddenClass(bytes, true);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    static void spin(int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        while (System.nanoTime() - end < 0) Thread.onSpinWait();
    }

    static Stream<Arguments> offences() {
        return Stream.of(Loops.NIO, Loops.EPOLL, Loops.URING)
                .flatMap(kind -> Stream.of(Offence.values())
                        .flatMap(offence ->
                                Stream.of(true, false).map(isDirect -> Arguments.of(kind, offence, isDirect))));
    }

    @ParameterizedTest
    @MethodSource("offences")
    void who_keeps_the_thread_in_each_call_never_runs_on_the_loop(Loops kind, Offence offence, boolean isDirect)
            throws Exception {
        var wasOnLoop = new AtomicBoolean();
        try (var loops = kind.setup().threads(1).earnAfter(10).start();
                var server = serve(loops, isDirect, (loop, _) -> {
                    wasOnLoop.compareAndSet(false, loop.inLoop());
                    offence.commit();
                });
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 20; i++) peer.send("x").assertReads("x");
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
            long before = Guard.LOOP_KEPT.count();
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
                until(() -> Guard.LOOP_KEPT.count() > before);
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
        if (Guard.LOOP_KEPT.count() == before) spin(40);
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
