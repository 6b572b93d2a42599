package io.millrace;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.os.AllocatedBytes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// Measures for [AllocationTest], in a process of its own: prints the bytes that a message allocates.
final class PingPong {
    private static final int CONNECTIONS = 50;
    private static final int WARM_UP = 300_000;
    private static final int MESSAGES = 400_000;

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
    /// one.
    private static double bytesPerMessage(TransportKind kind, Style style) throws Exception {
        try (var serving = EventLoops.configure().threads(1).transport(kind).start();
                var playing = EventLoops.configure().threads(1).transport(kind).start()) {
            var here = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var server = style.serve(here.loops(serving));
            play(server, playing, WARM_UP);
            long before = allocated(serving.next()) + allocated(playing.next());
            play(server, playing, MESSAGES);
            return (allocated(serving.next()) + allocated(playing.next()) - before) / (double) MESSAGES;
        }
    }

    /// So many messages, half of them in each direction.
    private static void play(Server server, EventLoops loops, int messages) throws InterruptedException {
        var left = new AtomicLong(messages / 2);
        var over = new CountDownLatch(CONNECTIONS);
        for (int i = 0; i < CONNECTIONS; i++) {
            var _ = Tcp.connect(server.address(), loops, conn -> new Player(conn, left, over));
        }
        over.await();
    }

    private static final class Player implements Handler {
        private final Connection connection;
        private final AtomicLong left;
        private final CountDownLatch over;

        Player(Connection connection, AtomicLong left, CountDownLatch over) {
            this.connection = connection;
            this.left = left;
            this.over = over;
            for (int i = 0; i < 8; i++) connection.output().writeLong(i);
        }

        @Override
        public void onInput(Input in) {
            if (left.decrementAndGet() > 0) {
                connection.output().move(in);
            } else {
                in.skip(in.remaining());
                connection.close();
            }
        }

        @Override
        public void onClose(java.io.@org.jspecify.annotations.Nullable IOException cause) {
            over.countDown();
        }
    }

    private static long allocated(Loop loop) throws Exception {
        var bytes = new CompletableFuture<Long>();
        loop.execute(() -> bytes.complete(AllocatedBytes.now()));
        return bytes.get();
    }
}
