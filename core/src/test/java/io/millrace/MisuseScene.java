package io.millrace;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Loop;
import io.millrace.net.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Who uses a connection that is somebody else's, and when. Each scene shows in the end that the connection works
/// as before.
@SuppressWarnings("ImmutableEnumChecker") // a scene has no state
enum MisuseScene {
    A_THREAD_BETWEEN_CALLS_ON_THE_LOOP((loops, misuse) -> between(Dispatch.loop(), loops, misuse)),
    A_THREAD_DURING_A_CALL_ON_THE_LOOP((loops, misuse) -> during(Dispatch.loop(), loops, misuse)),
    A_THREAD_BETWEEN_CALLS_ON_VIRTUAL_THREADS((loops, misuse) -> between(Dispatch.virtual(), loops, misuse)),
    A_THREAD_DURING_A_CALL_ON_A_VIRTUAL_THREAD((loops, misuse) -> during(Dispatch.virtual(), loops, misuse)),
    A_THREAD_BETWEEN_CALLS_IN_A_POOL((loops, misuse) -> between(Dispatch.pool(2), loops, misuse)),
    A_THREAD_DURING_A_CALL_IN_A_POOL((loops, misuse) -> during(Dispatch.pool(2), loops, misuse)),
    THE_LOOP_DURING_A_CALL_ON_A_VIRTUAL_THREAD((loops, misuse) -> byLoopDuring(Dispatch.virtual(), loops, misuse)),
    THE_LOOP_DURING_A_CALL_IN_A_POOL((loops, misuse) -> byLoopDuring(Dispatch.pool(1), loops, misuse)),
    A_NEIGHBOUR_ON_A_VIRTUAL_THREAD((loops, misuse) -> byNeighbour(Dispatch.virtual(), loops, misuse)),
    A_NEIGHBOUR_ON_THE_SAME_THREAD_OF_A_POOL((loops, misuse) -> byNeighbour(Dispatch.pool(1), loops, misuse)),
    ANOTHER_LOOP(MisuseScene::byOtherLoop),
    A_SESSION_OF_THE_SAME_LOOP(MisuseScene::bySession),
    A_THREAD_WHEN_THE_CONNECTION_HAS_CLOSED(MisuseScene::afterClose),
    A_THREAD_WHILE_A_SESSION_READS(MisuseScene::whileSessionReads),
    A_THREAD_WHILE_A_SESSION_RUNS(MisuseScene::whileSessionRuns),
    THE_LOOP_WHILE_A_SESSION_RUNS(MisuseScene::byLoopWhileSessionRuns),
    A_THREAD_THAT_A_SESSION_STARTED(MisuseScene::byChildOfSession),
    A_SESSION_THAT_HAS_CLOSED(MisuseScene::bySessionThatClosed),
    A_SECOND_THREAD_OF_A_CLIENT(MisuseScene::bySecondThreadOfClient),
    A_THREAD_BEHIND_A_STAGE(MisuseScene::behindStage);

    /// What is used, and by whom.
    record Victim(Output output, Input input, Executor culprit) {}

    private interface Play {
        void play(CheckedLoops loops, Consumer<Victim> misuse) throws Exception;
    }

    private static final Executor A_THREAD = task -> Thread.ofPlatform().start(task);

    private final Play play;

    MisuseScene(Play play) {
        this.play = play;
    }

    void play(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        play.play(loops, misuse);
    }

    // Callbacks.

    private static void between(Dispatch dispatch, CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, dispatch)) {
            misuse.accept(called.victim(A_THREAD));
        }
    }

    private static void during(Dispatch dispatch, CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, dispatch)) {
            called.handler.during(called.peer, () -> misuse.accept(called.victim(A_THREAD)));
        }
    }

    private static void byLoopDuring(Dispatch dispatch, CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, dispatch)) {
            var loop = called.handler.conn.loop();
            called.handler.during(called.peer, () -> misuse.accept(called.victim(loop)));
        }
    }

    private static void byNeighbour(Dispatch dispatch, CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, dispatch);
                var neighbour = RawPeer.of(called.server)) {
            neighbour.send("x").assertReads("x");
            var handler = called.handlers.next();
            misuse.accept(called.victim(task -> handler.call(neighbour, task)));
        }
    }

    private static void byOtherLoop(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, Dispatch.loop())) {
            misuse.accept(called.victim(otherThan(called.handler.conn.loop(), loops)));
        }
    }

    private static Loop otherThan(Loop loop, CheckedLoops loops) {
        return loops.loops().group().loops().stream()
                .filter(other -> !other.equals(loop))
                .findFirst()
                .orElseThrow();
    }

    private static void bySession(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, Dispatch.loop());
                var served = Served.on(loops)) {
            served.moveTo(called.handler.conn.loop());
            misuse.accept(called.victim(served::inSession));
        }
    }

    private static void afterClose(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var called = Called.on(loops, Dispatch.loop())) {
            called.peer.end().assertEnd();
            misuse.accept(new Victim(called.handler.conn.output(), called.handler.input(), A_THREAD));
        }
    }

    // Sessions.

    private static void whileSessionReads(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var served = Served.on(loops)) {
            misuse.accept(served.victim(A_THREAD));
            served.peer.send("x").assertReads("x");
        }
    }

    private static void whileSessionRuns(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var served = Served.on(loops)) {
            served.during(() -> misuse.accept(served.victim(A_THREAD)));
        }
    }

    private static void byLoopWhileSessionRuns(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var served = Served.on(loops)) {
            served.during(() -> misuse.accept(served.victim(served.conn.loop())));
        }
    }

    private static void byChildOfSession(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var served = Served.on(loops)) {
            misuse.accept(served.victim(task -> served.inSession(() -> join(Thread.startVirtualThread(task)))));
            served.peer.send("x").assertReads("x");
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void bySessionThatClosed(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var served = Served.on(loops)) {
            misuse.accept(served.victim(task -> served.inSession(() -> {
                served.conn.close();
                task.run();
            })));
        }
    }

    private static void bySecondThreadOfClient(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        try (var server = Tcp.listen(loops.listen(), conn -> in -> conn.output().move(in));
                var client = Tcp.connect(Connect.to(server.address()).loops(loops.loops()))) {
            client.output().writeUtf8("ab");
            client.flush();
            client.read();
            client.input().readByte();
            misuse.accept(new Victim(client.output(), client.input(), A_THREAD));
        }
    }

    private static void behindStage(CheckedLoops loops, Consumer<Victim> misuse) throws Exception {
        var wires = new CompletableFuture<Victim>();
        Stage stage = _ -> new Stage.Link() {
            @Override
            public void receive(Input in, Output app, Output wire) {
                app.move(in);
                wires.complete(new Victim(wire, in, A_THREAD));
            }

            @Override
            public void send(Input in, Output wire) {
                wire.move(in);
            }
        };
        try (var server = Tcp.listen(
                        loops.listen().through(stage),
                        conn -> in -> conn.output().move(in));
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            misuse.accept(wires.join());
            peer.send("x").assertReads("x");
        }
    }

    /// A connection in callback style; its peer has said something and got it back.
    private static final class Called implements AutoCloseable {
        final Handlers<Echo> handlers = new Handlers<>(Echo::new);
        final Server server;
        final RawPeer peer;
        final Echo handler;

        private Called(CheckedLoops loops, Dispatch dispatch) throws Exception {
            server = Tcp.listen(loops.listen().dispatch(dispatch), handlers);
            peer = RawPeer.of(server);
            peer.send("x").assertReads("x");
            handler = handlers.next();
        }

        static Called on(CheckedLoops loops, Dispatch dispatch) throws Exception {
            return new Called(loops, dispatch);
        }

        Victim victim(Executor culprit) {
            return new Victim(handler.conn.output(), handler.input(), culprit);
        }

        @Override
        public void close() throws IOException {
            if (!handler.hasClosed) peer.send("y").assertReads("y");
            peer.close();
            server.close();
        }
    }

    private static final class Echo implements Handler {
        final Connection conn;
        volatile boolean hasClosed;
        private volatile @Nullable Input input;
        private volatile Runnable inCall = () -> {};

        Echo(Connection conn) {
            this.conn = conn;
        }

        @Override
        public void onInput(Input in) {
            input = in;
            inCall.run();
            conn.output().move(in);
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            hasClosed = true;
        }

        Input input() {
            return java.util.Objects.requireNonNull(input);
        }

        /// Has its peer send something, and runs a task in the call that brings.
        void call(RawPeer peer, Runnable task) {
            inCall = task;
            try {
                peer.send("x").assertReads("x");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            inCall = () -> {};
        }

        /// Runs a task on the caller's thread while it is in a call.
        void during(RawPeer peer, Runnable task) throws Exception {
            var began = new CountDownLatch(1);
            var mayEnd = new CountDownLatch(1);
            inCall = () -> {
                began.countDown();
                Uninterrupted.await(mayEnd);
            };
            peer.send("x");
            began.await();
            try {
                task.run();
            } finally {
                inCall = () -> {};
                mayEnd.countDown();
            }
            peer.assertReads("x");
        }
    }

    /// A connection in direct style: an echo that runs a task when one is there.
    static final class Served implements AutoCloseable {
        final Server server;
        RawPeer peer;
        BlockingConnection conn;
        private final List<RawPeer> others = new ArrayList<>();
        private final LinkedBlockingQueue<BlockingConnection> made = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

        private Served(CheckedLoops loops) throws Exception {
            server = Tcp.serve(loops.listen(), this::live);
            peer = RawPeer.of(server);
            conn = made.take();
        }

        static Served on(CheckedLoops loops) throws Exception {
            return new Served(loops);
        }

        private void live(BlockingConnection conn) throws IOException {
            made.add(conn);
            while (conn.read()) {
                for (var task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                    conn.input().skip(1);
                }
                conn.output().move(conn.input());
            }
        }

        /// Connects until a session is on that loop.
        void moveTo(Loop loop) throws Exception {
            while (!conn.loop().equals(loop)) {
                others.add(peer);
                peer = RawPeer.of(server);
                conn = made.take();
            }
        }

        Victim victim(Executor culprit) {
            return new Victim(conn.output(), conn.input(), culprit);
        }

        void inSession(Runnable task) {
            tasks.add(task);
            try {
                peer.send("!");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /// Runs a task on the caller's thread while the session runs.
        void during(Runnable task) throws Exception {
            var began = new CountDownLatch(1);
            var mayEnd = new CountDownLatch(1);
            inSession(() -> {
                began.countDown();
                Uninterrupted.await(mayEnd);
            });
            began.await();
            try {
                task.run();
            } finally {
                mayEnd.countDown();
            }
            peer.send("x").assertReads("x");
        }

        @Override
        public void close() {
            peer.close();
            others.forEach(RawPeer::close);
            server.close();
        }
    }
}
