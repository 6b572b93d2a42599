package io.millrace.proxy.websocket;

import io.millrace.http.Headers;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Takeover;
import io.millrace.http.message.Upgraded;
import io.millrace.http.ws.WsCodes;
import io.millrace.loop.Deadline;
import io.millrace.loop.Departing;
import io.millrace.loop.Departures;
import io.millrace.loop.LoopLog;
import io.millrace.loop.TunnelSide;
import io.millrace.proxy.websocket.SocketSide.Goodbye;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A WebSocket that passes through: its frames go from end to end as they are, and it can be closed in between.
///
/// ```
///   OPEN ─┬─ a close frame passes ─────────────────► CLOSING ─┬─ one passes back, the backend closes ─► CLOSED
///         └─ a close frame of ours to the client ──► CLOSING ─┼─ the client's goes to the backend ────► CLOSED
///                                                             └─ 5 s ── the missing ones are ours ────► CLOSED
/// ```
/// The proxy says goodbye to the client only: its answer, and what it has sent before that, is still for the backend.
public final class ProxiedSocket implements Takeover {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    /// How long an end may take to answer a close frame.
    static final Duration ANSWER = Duration.ofSeconds(5);

    /// The registry's 1014, bad gateway, says more, but gorilla/websocket takes it for a violation.
    private static final Goodbye GONE = new Goodbye(WsCodes.SERVICE_RESTART, "the backend has gone");

    private final Upgraded backend;
    private final Headers headers;
    private final SocketRules rules;
    private final AtomicBoolean isGivenBack = new AtomicBoolean();

    /// When something last came from either side; written by both loops, whose clocks are a turn apart.
    private volatile long movedNanos;

    /// @param backend the end that has agreed
    /// @param headers of its 101, for the client
    public ProxiedSocket(Upgraded backend, Headers headers, SocketRules rules) {
        this.backend = backend;
        this.headers = headers;
        this.rules = rules;
    }

    /// What holds for a WebSocket.
    ///
    /// @param idle how long nothing may come from either side; zero for ever
    /// @param release called when it has ended, or has never begun; once
    /// @param closed told how it has ended, before the listeners of requests are
    public record SocketRules(
            Duration idle, SocketCounts counts, Runnable release, BiConsumer<ClosedBy, Integer> closed) {}

    @Override
    public int status() {
        return backend.status();
    }

    @Override
    public Headers headers() {
        return headers;
    }

    @Override
    public void begin(Peer peer) {
        var client = peer.end();
        // Until the other side is there, what it sends has no reader.
        client.pause();
        rules.counts.opened();
        var there = new BackendSide();
        var here = new ClientSide(peer, there);
        there.opposite = here;
        movedNanos = here.loop.nowNanos();
        var side = TunnelSide.of(client, there.loop);
        here.side = side;
        client.carry(here);
        try {
            there.loop.execute(() -> {
                there.side = side.connected(there.end, backend.witness());
                there.end.carry(there);
                there.end.resume();
            });
        } catch (RejectedExecutionException _) {
            // Its loop is gone, and it with it.
            client.abort();
        }
        here.begins();
    }

    @Override
    public void abort() {
        backend.end().abort();
        giveBack();
    }

    private void giveBack() {
        if (isGivenBack.compareAndSet(false, true)) rules.release.run();
    }

    /// The client's side, which knows how far the end has come. On its loop.
    private final class ClientSide extends SocketSide implements Departing {
        private final Ending ending;
        private final BackendSide opposite;
        private final Watch watch;
        private ClosedBy by = ClosedBy.NOBODY;
        private int code = WsCodes.NONE;
        private boolean isClosing;
        private boolean isOver;
        private boolean isGivenUp;

        /// The code of the client's close frame, once it has come; otherwise 0.
        private volatile int answer;

        /// The client has got one of ours.
        private boolean isDismissed;

        ClientSide(Peer peer, BackendSide opposite) {
            super(peer.end(), true, rules.counts.fromClients());
            this.ending = peer.ending();
            this.opposite = opposite;
            this.watch = new Watch(this);
        }

        void begins() {
            if (isOver) return;
            watch.update();
            var departures = end.connection().departures();
            if (departures != null) departs(departures);
        }

        @Override
        void moved() {
            movedNanos = loop.nowNanos();
        }

        @Override
        public void departs(Departures all) {
            if (!watch.isLeaving && !isOver) watch.leavesAfter(all.nextNanos(loop.nowNanos(), ANSWER.toNanos()));
        }

        // The end.

        /// The first close frame decides whose end it is.
        void closes(ClosedBy whose, int itsCode) {
            if (!isClosing && !isGone) {
                by = whose;
                code = itsCode;
            }
            isClosing = true;
            if (!isOver) watch.closing();
        }

        @Override
        void closeArrived(int itsCode) {
            answer = itsCode;
            closes(ClosedBy.CLIENT, itsCode);
            // Otherwise the backend answers, and closes.
            if (isDismissed) end.close();
        }

        /// To the backend.
        @Override
        void closeSent(Goodbye goodbye) {}

        void dismissed(ClosedBy whose, Goodbye goodbye) {
            isDismissed = true;
            closes(whose, goodbye.code());
            if (answer != 0) end.close();
        }

        void dismissIdle() {
            LOG.log(Level.DEBUG, () -> "a WebSocket of " + end.connection().remote() + " is idle, and is closed");
            var goodbye = new Goodbye(WsCodes.GOING_AWAY, "nothing has moved for " + rules.idle.toSeconds() + " s");
            opposite.run(() -> opposite.dismiss(ClosedBy.IDLE, goodbye, true));
        }

        void leaves() {
            var goodbye = new Goodbye(WsCodes.GOING_AWAY, "the server stops");
            opposite.run(() -> opposite.dismiss(ClosedBy.DRAIN, goodbye, false));
        }

        /// It is idle in the middle of a frame, so that no close frame can be sent.
        void cannotClose(ClosedBy whose) {
            closes(whose, WsCodes.NONE);
            end.abort();
        }

        /// An end has not answered in time: the proxy does it.
        void unanswered() {
            // The end of its connection takes its time, too.
            if (isGivenUp) return;
            isGivenUp = true;
            boolean isWhole = answer != 0 && (isDismissed || opposite.hasSent);
            if (!isWhole) HttpGuards.WS_CLOSE.acted(end.connection().remote(), "a close frame is not answered");
            var ours = answer(code);
            var _ = cut(ours);
            opposite.run(() -> {
                var _ = opposite.cut(ours);
                run(end::close);
            });
        }

        /// The backend sees it as it is. At the end of a drain it is the server that breaks off.
        @Override
        void ends() {
            if (isClosing || opposite.isGone || (isOver && watch.isLeaving)) return;
            isGone = true;
            by = ClosedBy.CLIENT_GONE;
        }

        private static Goodbye answer(int code) {
            return new Goodbye(WsCodes.mayBeSent(code) ? code : WsCodes.NONE, "");
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            isOver = true;
            watch.stop();
            super.onClose(cause);
            rules.counts.closed(by, code);
            rules.closed.accept(by, code);
            giveBack();
            ending.ended(side().takenBytes(), side().writtenBytes(), cause);
        }
    }

    /// The backend's side. On its loop.
    private final class BackendSide extends SocketSide {
        /// Set before anything arrives.
        @Nullable
        ClientSide opposite;

        /// Why it dismisses the client.
        private ClosedBy why = ClosedBy.NOBODY;

        /// Its close frame has gone to the client.
        private volatile boolean hasSent;

        BackendSide() {
            super(backend.end(), false, rules.counts.fromBackends());
        }

        private ClientSide opposite() {
            var there = opposite;
            if (there == null) throw new IllegalStateException("it has no client yet");
            return there;
        }

        @Override
        void moved() {
            movedNanos = loop.nowNanos();
        }

        void dismiss(ClosedBy whose, Goodbye goodbye, boolean isNow) {
            // Not joined yet, or closed: the end of its connection decides.
            if (side == null || hasClosed()) return;
            boolean mayWait = !isNow || isBetween();
            why = whose;
            if (mayWait && cut(goodbye)) return;
            if (isNow) opposite().run(() -> opposite().cannotClose(whose));
        }

        @Override
        void closeArrived(int code) {
            // The client has got ours instead.
            if (isCut()) return;
            hasSent = true;
            opposite().run(() -> opposite().closes(ClosedBy.BACKEND, code));
        }

        @Override
        void closeSent(Goodbye goodbye) {
            var whose = why;
            opposite().run(() -> opposite().dismissed(whose, goodbye));
        }

        /// The client learns in order that the backend is gone.
        @Override
        void ends() {
            if (opposite().isGone) return;
            isGone = true;
            if (!isBetween()) return;
            int asked = opposite().answer;
            if (asked == 0) why = ClosedBy.BACKEND_GONE;
            var _ = cut(asked == 0 ? GONE : ClientSide.answer(asked));
        }
    }

    /// The one timer: what is idle, a moment of a drain, an answer that does not come.
    private final class Watch extends Deadline {
        private final ClientSide client;
        private boolean isLeaving;
        private boolean hasLeft;
        private long leaveNanos;

        Watch(ClientSide client) {
            super(client.loop);
            this.client = client;
        }

        void leavesAfter(long nanos) {
            isLeaving = true;
            leaveNanos = client.loop.nowNanos() + nanos;
            update();
        }

        void closing() {
            after(ANSWER.toNanos());
        }

        void update() {
            if (client.isClosing) return;
            long now = client.loop.nowNanos();
            long idle = rules.idle.toNanos();
            long left = idle > 0 ? movedNanos + idle - now : Long.MAX_VALUE;
            if (isLeaving && !hasLeft) left = Math.min(left, leaveNanos - now);
            if (left < Long.MAX_VALUE) after(Math.max(0, left));
        }

        @Override
        protected void expired() {
            if (client.isClosing) {
                client.unanswered();
                return;
            }
            long now = client.loop.nowNanos();
            if (isLeaving && !hasLeft && leaveNanos - now <= 0) {
                hasLeft = true;
                client.leaves();
                // A close frame may wait for the end of another frame, which may never come.
                update();
                return;
            }
            if (rules.idle.isPositive() && movedNanos + rules.idle.toNanos() - now <= 0) client.dismissIdle();
            else update();
        }
    }
}
