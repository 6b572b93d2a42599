package io.millrace;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.testing.AllocatedBytes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// Measures for [AllocationTest], in a process of its own: prints the bytes that a message allocates.
final class PingPong {
    private static final int CONNECTIONS = 50;
    private static final int WARM_UP = 300_000;
    /// Ever so many messages the one who measures is woken.
    private static final int MARK = 20_000;

    private static final int WINDOWS = 11;

    private PingPong() {}

    /// How the server answers.
    enum Style {
        CALLBACK {
            @Override
            Server serve(Listen on) {
                return Tcp.listen(on, ECHO);
            }
        },
        VIRTUAL {
            @Override
            Server serve(Listen on) {
                return Tcp.listen(on.dispatch(Dispatch.virtual()), ECHO);
            }
        },
        DIRECT {
            @Override
            Server serve(Listen on) {
                return Tcp.serve(on, conn -> {
                    while (conn.read()) conn.output().move(conn.input());
                });
            }
        };

        private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

        abstract Server serve(Listen on);
    }

    /// The arguments are the names of a [TransportKind] and a [Style].
    public static void main(String[] arguments) throws Exception {
        System.out.println(bytesPerMessage(TransportKind.valueOf(arguments[0]), Style.valueOf(arguments[1])));
    }

    /// Connections of a client's loop play ping-pong with a server's loop; every message is received and sent on
    /// one. The median of some windows: what a connection allocates when it opens, or the compiler when it gives
    /// code up, is in few of them; what messages allocate is in each.
    private static double bytesPerMessage(TransportKind kind, Style style) throws Exception {
        try (var serving = EventLoops.configure().threads(1).transport(kind).start();
                var playing = EventLoops.configure().threads(1).transport(kind).start()) {
            var here = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var server = style.serve(here.loops(serving));
            var game = new Game();
            for (int i = 0; i < CONNECTIONS; i++) {
                var _ = Tcp.connect(server.address(), playing, conn -> new Player(conn, game));
            }
            game.play(WARM_UP / MARK);
            var windows = new double[WINDOWS];
            for (int i = 0; i < WINDOWS; i++) {
                long before = allocated(serving.next()) + allocated(playing.next());
                long messages = game.play(1);
                windows[i] = (allocated(serving.next()) + allocated(playing.next()) - before) / (double) messages;
            }
            game.end();
            Arrays.sort(windows);
            return windows[WINDOWS / 2];
        }
    }

    /// What all connections play together.
    private static final class Game {
        private final AtomicLong messages = new AtomicLong();
        private final Semaphore marks = new Semaphore(0);
        private final CountDownLatch over = new CountDownLatch(CONNECTIONS);
        private volatile boolean ended;

        /// Waits until so many marks have been passed, and returns how many messages that were, half of them in each
        /// direction.
        long play(int count) throws InterruptedException {
            marks.drainPermits();
            long from = messages.get();
            marks.acquire(count);
            return messages.get() - from;
        }

        void received() {
            if (messages.addAndGet(2) % MARK == 0) marks.release();
        }

        void end() throws InterruptedException {
            ended = true;
            over.await();
        }
    }

    private static final class Player implements Handler {
        private final Connection connection;
        private final Game game;

        Player(Connection connection, Game game) {
            this.connection = connection;
            this.game = game;
            for (int i = 0; i < 8; i++) connection.output().writeLong(i);
        }

        @Override
        public void onInput(Input in) {
            game.received();
            if (game.ended) {
                in.skip(in.remaining());
                connection.close();
            } else {
                connection.output().move(in);
            }
        }

        @Override
        public void onClose(java.io.@org.jspecify.annotations.Nullable IOException cause) {
            game.over.countDown();
        }
    }

    private static long allocated(Loop loop) throws Exception {
        var bytes = new CompletableFuture<Long>();
        loop.execute(() -> bytes.complete(AllocatedBytes.now()));
        return bytes.get();
    }
}
