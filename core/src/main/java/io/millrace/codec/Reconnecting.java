package io.millrace.codec;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.net.Loop;
import io.millrace.net.Reset;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A client that connects again when its connection is lost, or cannot be made:
///
/// ```java
/// var prices = Reconnecting.messages(Connect.to("prices.example", 7008), FRAMES, CODEC, (peer, before) -> {
///     peer.send(new Subscribe("EURUSD"));
///     if (before.missed() > 0) log("missed " + before.missed());
///     return price -> show(price);
/// });
/// prices.send(new Order("EURUSD", 100));
/// ```
/// The function is called for each connection, so that it subscribes again. What is sent while there is none waits, in
/// order, up to a limit ([ReconnectSettings#messages]), and follows what the function sends. A message is sent once:
/// what was on its way when a connection was lost may have arrived, or not.
///
/// The log (`io.millrace.reconnect`) has a line when there is no connection any more, one when there is one
/// again, and one when it does not go on.
///
/// ```
///   CONNECTING ── opened ──► OPEN ── lost ──► AWAY ── after a backoff ──► CONNECTING
///       └── failed ───────────────────────────► │
///   close(), or a failure after which it does not go on ──► CLOSED
/// ```
/// Any thread may use it.
public final class Reconnecting<M> implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.reconnect");

    private final String name;
    private final Loop loop;
    private final ReconnectSettings settings;
    private final Dialer<M> dialer;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Guarded by this.

    private final ArrayDeque<M> waiting = new ArrayDeque<>();
    private @Nullable Line<M> line;

    /// What waits was sent, and messages take the line directly.
    private boolean isDirect;

    private boolean isClosed;
    private long missed;
    private Loop.@Nullable Timer timer;
    private int connections;
    private int failures;

    /// The log says that there is no connection.
    private boolean isAwayTold;

    private long lostNanos;

    /// Makes connections of some kind.
    @FunctionalInterface
    public interface Dialer<M> {
        /// Begins a connection; on the loop. What becomes of it is told to the attempt, on any thread.
        void dial(Dial<M> attempt);
    }

    /// A connection of some kind.
    public interface Line<M> {
        /// Sends a message; any thread.
        ///
        /// @return false when it is not sent
        boolean send(M message);

        /// Whether too much waits for the peer; afterwards, [Dial#hasRoom] is called when there is room.
        boolean isFull();

        /// Ends it, behind what was sent; any thread.
        void close();
    }

    /// Makes the handler of a connection.
    @FunctionalInterface
    public interface MessagesOpener<M> {
        /// Called for each connection, on its loop.
        MessageHandler<M> open(Messages<M> peer, Reconnected before);
    }

    private Reconnecting(String name, Loop loop, ReconnectSettings settings, Dialer<M> dialer) {
        this.name = name;
        this.loop = loop;
        this.settings = settings;
        this.dialer = dialer;
    }

    /// A client of messages over TCP with standard settings.
    public static <M> Reconnecting<M> messages(Connect to, Framing framing, Codec<M> codec, MessagesOpener<M> opener) {
        return messages(to, framing, codec, ReconnectSettings.standard(), opener);
    }

    /// A client of messages over TCP. All of its connections are on one loop.
    public static <M> Reconnecting<M> messages(
            Connect to, Framing framing, Codec<M> codec, ReconnectSettings settings, MessagesOpener<M> opener) {
        var loop = to.nextLoop();
        var onLoop = to.loop(loop);
        return start("messages of " + to, loop, settings, attempt -> {
            var factory = Messages.over(framing, codec, peer -> ReconnectingHandler.open(peer, attempt, opener));
            var _ = Tcp.connect(onLoop, factory).whenComplete((_, failure) -> {
                if (failure != null) attempt.over(failure);
            });
        });
    }

    /// A client of another protocol.
    ///
    /// @param name for the log
    public static <M> Reconnecting<M> start(String name, Loop loop, ReconnectSettings settings, Dialer<M> dialer) {
        var client = new Reconnecting<>(name, loop, settings, dialer);
        loop.execute(client::begin);
        return client;
    }

    private void begin() {
        synchronized (this) {
            lostNanos = now();
        }
        dial();
    }

    private long now() {
        return EventLoop.of(loop).clock().getAsLong();
    }

    // Any thread.

    /// Sends a message, or keeps it until there is a connection.
    ///
    /// @return false if this client is closed, or the message is dropped: the connection is lost at this moment, or
    ///     none may wait
    public boolean send(M message) {
        Line<M> to;
        synchronized (this) {
            if (isClosed) return false;
            if (!isDirect) return keep(message);
            to = line;
        }
        if (to != null && to.send(message)) return true;
        isMissed();
        return false;
    }

    private boolean keep(M message) {
        waiting.add(message);
        if (waiting.size() <= settings.messages()) return true;
        waiting.remove();
        missed++;
        CoreGuards.RECONNECT_MESSAGES.acted(
                name, settings.messages() + " messages wait for a connection: the oldest is dropped");
        return settings.messages() > 0;
    }

    private synchronized void isMissed() {
        missed++;
    }

    /// Whether there is a connection, for all that is known.
    public synchronized boolean isConnected() {
        return line != null;
    }

    /// Whether messages should not be sent now: too much waits for the peer, or half of what may wait for a connection.
    public boolean isFull() {
        Line<M> to;
        synchronized (this) {
            if (!isDirect) return waiting.size() * 2L >= settings.messages();
            to = line;
        }
        return to != null && to.isFull();
    }

    /// Completes when it is closed, or exceptionally with the failure after which it did not go on
    /// ([ReconnectSettings#goesOn]).
    public CompletionStage<Void> ended() {
        return ended.minimalCompletionStage();
    }

    /// Ends its connection, behind what was sent, and makes no other: no function is called for one after this.
    /// What still waits for a connection is dropped.
    @Override
    public void close() {
        end(null);
    }

    private void end(@Nullable Throwable cause) {
        Line<M> last;
        synchronized (this) {
            isClosed = true;
            waiting.clear();
            if (timer != null) timer.cancel();
            last = line;
        }
        if (last != null) last.close();
        if (cause == null) ended.complete(null);
        else ended.completeExceptionally(cause);
    }

    // One connection after the other.

    private void dial() {
        synchronized (this) {
            timer = null;
            if (isClosed) return;
        }
        var attempt = new Dial<>(this);
        try {
            dialer.dial(attempt);
        } catch (RuntimeException e) {
            attempt.over(e);
        }
    }

    private synchronized Optional<Reconnected> before() {
        if (isClosed) return Optional.empty();
        return Optional.of(new Reconnected(connections, Duration.ofNanos(now() - lostNanos), missed));
    }

    /// @param told how many missed messages its handler knows of
    private void opened(Line<M> opened, long told) {
        boolean isLate;
        boolean isBack;
        synchronized (this) {
            isLate = isClosed;
            line = opened;
            connections++;
            missed -= told;
            isBack = isAwayTold;
            isAwayTold = false;
        }
        if (isLate) opened.close();
        else if (isBack) LOG.log(Level.INFO, () -> name + ": connected again");
        flush(opened);
    }

    /// Sends what waits, as long as the peer takes it.
    private void flush(Line<M> to) {
        while (!to.isFull()) {
            M next;
            synchronized (this) {
                next = waiting.poll();
                isDirect = next == null && isSame(to);
            }
            if (next == null) return;
            if (!to.send(next)) {
                waitAgain(next);
                return;
            }
        }
    }

    /// The line is lost: the next one takes it, and what waits behind it.
    private synchronized void waitAgain(M first) {
        if (!isClosed) waiting.addFirst(first);
    }

    @SuppressWarnings("ReferenceEquality") // the line itself
    private boolean isSame(Line<M> other) {
        return line == other;
    }

    private void lost(boolean wasOpen, boolean wasSteady, Throwable cause) {
        Duration wait;
        boolean isNews;
        synchronized (this) {
            line = null;
            isDirect = false;
            if (isClosed) return;
            if (wasOpen) lostNanos = now();
            if (wasSteady) failures = 0;
            wait = settings.backoff().after(++failures);
            isNews = !isAwayTold;
            isAwayTold = true;
        }
        var last = last(cause);
        if (last != null) {
            LOG.log(Level.WARNING, () -> name + ": no connection, and no further attempt (" + why(last) + ")");
            end(last);
            return;
        }
        LOG.log(
                isNews ? Level.INFO : Level.DEBUG,
                () -> name + ": no connection (" + why(cause) + "), the next attempt is in " + wait.toMillis() + " ms");
        try {
            var next = loop.after(wait, this::dial);
            synchronized (this) {
                timer = next;
                if (isClosed) next.cancel();
            }
        } catch (RejectedExecutionException _) {
            end(new Reset("the event loop was closed"));
        }
    }

    private static String why(Throwable cause) {
        var message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    /// The failure that ends it; null if it goes on.
    private @Nullable Throwable last(Throwable cause) {
        try {
            return settings.goesOn().test(cause) ? null : cause;
        } catch (Throwable thrown) {
            LOG.log(Level.WARNING, () -> name + ": goesOn threw, so it ends", thrown);
            return thrown;
        }
    }

    /// One attempt to connect, and the connection that comes of it. Its methods are called one at a time, on any
    /// thread.
    public static final class Dial<M> {
        private final Reconnecting<M> client;
        private @Nullable Line<M> line;
        private long openedNanos;
        private long toldMissed;
        private boolean isOver;

        private Dial(Reconnecting<M> client) {
            this.client = client;
        }

        /// What has happened before, for who handles the connection. Empty if the client was closed meanwhile:
        /// then nobody handles it, and it is to be closed.
        public Optional<Reconnected> before() {
            var before = client.before();
            toldMissed = before.map(Reconnected::missed).orElse(0L);
            return before;
        }

        /// It is open, and its handler has begun: what waits follows.
        public void opened(Line<M> opened) {
            line = opened;
            openedNanos = client.now();
            client.opened(opened, toldMissed);
        }

        /// There is room again, after [Line#isFull] was true.
        public void hasRoom() {
            if (line != null && !isOver) client.flush(line);
        }

        /// It was lost, or could not be made; has an effect once.
        public void over(Throwable cause) {
            if (isOver) return;
            isOver = true;
            boolean wasSteady = line != null
                    && client.now() - openedNanos
                            >= client.settings.steadyAfter().toNanos();
            client.lost(line != null, wasSteady, cause);
        }
    }
}
