package io.millrace;

import static io.millrace.TcpTest.local;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Connections that say something small every few milliseconds, half of them to sessions and half to handlers on
/// virtual threads, and what they have to wait for the answer.
final class QuietPeers implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final EventLoops playing = EventLoops.configure().threads(1).start();
    private final Server sessions;
    private final Server handlers;
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong beside = new AtomicLong();
    private final AtomicLong worstNanos = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> lost = new AtomicReference<>();
    private volatile boolean isOver;

    private QuietPeers(int count, EventLoops loops) {
        sessions = Tcp.serve(local(loops), conn -> {
            while (conn.read()) answer(conn.loop(), () -> conn.output().move(conn.input()));
        });
        HandlerFactory echo =
                conn -> in -> answer(conn.loop(), () -> conn.output().move(in));
        handlers = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), echo);
        for (int i = 0; i < count; i++) {
            var server = i % 2 == 0 ? sessions : handlers;
            var _ = Tcp.connect(server.address(), playing, Peer::new);
        }
    }

    static QuietPeers start(int count, EventLoops loops) {
        return new QuietPeers(count, loops);
    }

    private void answer(Loop loop, Runnable answer) {
        if (!loop.inLoop()) beside.incrementAndGet();
        answer.run();
    }

    long answers() {
        return answers.get();
    }

    /// Answers that code gave which was not on its loop.
    long beside() {
        return beside.get();
    }

    /// The longest that one had to wait since this was asked last.
    long worstNanos() {
        return worstNanos.getAndSet(0);
    }

    void assertNothingIsLost() {
        var thrown = lost.get();
        if (thrown != null) throw new AssertionError(thrown);
    }

    private final class Peer implements Handler {
        private final Connection conn;
        private long number;
        private long sentNanos;

        Peer(Connection conn) {
            this.conn = conn;
            send();
        }

        private void send() {
            sentNanos = System.nanoTime();
            conn.output().writeLong(++number);
        }

        @Override
        public void onInput(Input in) {
            if (in.remaining() < Long.BYTES) return;
            long answer = in.readLong();
            if (answer != number) lost.set(new AssertionError(answer + " instead of " + number));
            long tookNanos = System.nanoTime() - sentNanos;
            worstNanos.accumulateAndGet(tookNanos, Math::max);
            answers.incrementAndGet();
            var _ = conn.loop().after(PAUSE, this::send);
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            if (!isOver) lost.set(cause == null ? new IOException("ended") : cause);
        }
    }

    @Override
    public void close() {
        stop();
    }

    void stop() {
        isOver = true;
        playing.close();
        sessions.close();
        handlers.close();
    }
}
