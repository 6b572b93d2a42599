package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;

import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Two connections for each offence and style, each of which asks for it, waits for the answer, and asks again.
final class Offenders implements AutoCloseable {
    private static final int CONNECTIONS = 2;
    private static final Duration DRAIN_PATIENCE = Duration.ofMillis(200);

    private final OffenceScene scene;
    private final EventLoops loops;
    private final List<Post> posts = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong answers = new AtomicLong();

    /// Offences under way, in whatever thread.
    private final AtomicInteger underWay = new AtomicInteger();

    private final AtomicReference<@Nullable Throwable> lost = new AtomicReference<>();
    private volatile boolean isOver;

    Offenders(OffenceScene scene, EventLoops loops) {
        this.scene = scene;
        this.loops = loops;
        for (var offence : Offence.values()) {
            posts.add(new Post(offence, true));
            posts.add(new Post(offence, false));
        }
    }

    /// Whatever each is asked has to be answered.
    Offenders inPeace() {
        return start(Integer.MAX_VALUE);
    }

    /// Each connection is reset after its third question, and one server after the other is drained.
    Offenders inUnrest() {
        threads.add(Thread.ofPlatform().start(this::drainOneAfterTheOther));
        return start(3);
    }

    private Offenders start(int questions) {
        for (var post : posts) {
            for (int i = 0; i < CONNECTIONS; i++)
                threads.add(Thread.ofPlatform().start(() -> ask(post, questions)));
        }
        return this;
    }

    static Server serve(EventLoops loops, boolean isDirect, Work work) {
        HandlerFactory handler = conn -> in -> {
            work.run();
            conn.output().move(in);
        };
        if (!isDirect) return Tcp.listen(local(loops).dispatch(Dispatch.virtual()), handler);
        return Tcp.serve(local(loops), conn -> {
            while (conn.read()) {
                work.run();
                conn.output().move(conn.input());
            }
        });
    }

    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    private final class Post {
        private final Offence offence;
        private final boolean isDirect;
        private volatile Server server;

        Post(Offence offence, boolean isDirect) {
            this.offence = offence;
            this.isDirect = isDirect;
            this.server = open();
        }

        private Server open() {
            return serve(loops, isDirect, () -> {
                underWay.incrementAndGet();
                try {
                    if (isOver) return;
                    offence.commit(scene);
                } finally {
                    underWay.decrementAndGet();
                }
            });
        }

        void drain() {
            server.drain(DRAIN_PATIENCE);
            server = open();
        }
    }

    private void ask(Post post, int questions) {
        while (!isOver) {
            try (var peer = RawPeer.of(post.server)) {
                for (int i = 0; i < questions && !isOver; i++) {
                    peer.send("x").assertReads("x");
                    answers.incrementAndGet();
                }
                peer.send("x").reset();
            } catch (IOException | AssertionError e) {
                if (questions == Integer.MAX_VALUE && !isOver) lost.compareAndSet(null, e);
            }
        }
    }

    private void drainOneAfterTheOther() {
        for (int i = 0; !isOver; i++) {
            posts.get(i % posts.size()).drain();
            long next = System.nanoTime() + 1_000_000_000;
            until(() -> isOver || System.nanoTime() - next > 0);
        }
    }

    void assertNothingIsLost() {
        var thrown = lost.get();
        if (thrown != null) throw new AssertionError(thrown);
    }

    long answers() {
        return answers.get();
    }

    /// Ends them, and waits until the last offence is over.
    void stop() {
        isOver = true;
        scene.hurry();
        for (var post : posts) post.server.close();
        for (var thread : threads) until(() -> !thread.isAlive());
        for (var post : posts) post.server.close();
        until(() -> underWay.get() == 0);
    }

    @Override
    public void close() {
        stop();
    }
}
