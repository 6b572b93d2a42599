package io.millrace.http.pool;

import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ConnectionOwner;
import io.millrace.http.exchange.PooledConnection;
import io.millrace.http.h1.ClientConnection;
import io.millrace.http.h2.Http2Calling;
import io.millrace.http.message.Destination;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.EventLoop;
import io.millrace.net.Connection;
import io.millrace.net.Reset;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The pools of one loop: one for each origin with a connection there, or a request that waits for one. On
/// the loop, except the number of calls.
final class LoopPools {
    private final EventLoop loop;
    private final PoolSettings settings;
    private final ClientPools client;
    private final Map<Destination, Pool> pools = new HashMap<>();
    private ClientConnection.@Nullable Scratch scratch;
    private @Nullable Http2Calling http2;
    private boolean isClosed;

    /// It has been asked to spare connections, and has not yet done so.
    private final AtomicBoolean sparing = new AtomicBoolean();

    /// Calls in progress; any thread.
    private final AtomicInteger calls = new AtomicInteger();

    LoopPools(EventLoop loop, PoolSettings settings, ClientPools client) {
        this.loop = loop;
        this.settings = settings;
        this.client = client;
    }

    static long nanos(Duration limit) {
        return ConnectionSettings.nanos(limit, "a timeout");
    }

    // Any thread.

    EventLoop loop() {
        return loop;
    }

    /// Runs a task on the loop: now if this is its thread, or if the loop is gone.
    void onLoop(Runnable task) {
        if (loop.inLoop()) {
            loop.doHere(task);
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // Waiting callers must be told.
            task.run();
        }
    }

    /// Runs a task on the loop, later; not if the loop is gone.
    void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // All calls here are over.
        }
    }

    int calls() {
        return calls.get();
    }

    void callBegan() {
        calls.incrementAndGet();
    }

    void callEnded() {
        calls.decrementAndGet();
    }

    // On the loop.

    /// For a connection that has just opened.
    PooledConnection carry(Connection opened, boolean isHttp2, ConnectionOwner owner) {
        if (isHttp2) return http2().open(opened, owner);
        return new ClientConnection(opened, settings.limits(), settings.timeouts(), scratch(), owner);
    }

    private ClientConnection.Scratch scratch() {
        var known = scratch;
        if (known == null) scratch = known = ClientConnection.scratch(settings.limits());
        return known;
    }

    private Http2Calling http2() {
        var known = http2;
        if (known == null) http2 = known = new Http2Calling(settings.limits(), settings.timeouts());
        return known;
    }

    void submit(Destination destination, Caller call) {
        if (isClosed) call.failed(closed());
        else pools.computeIfAbsent(destination, this::open).submit(call);
    }

    private Pool open(Destination destination) {
        int connections = client.share(settings.connections(), destination, this);
        int waiting = client.share(settings.waiting(), destination, this);
        return new Pool(this, destination, settings, connections, waiting);
    }

    /// A call that has not begun is no longer wanted.
    void forget(Destination destination, Caller call) {
        var pool = pools.get(destination);
        if (pool != null) pool.forget(call);
    }

    boolean isWaiting(Destination destination, Caller call) {
        var pool = pools.get(destination);
        return pool != null && pool.isWaiting(call);
    }

    void removeUnused(Destination destination, Pool pool) {
        pools.remove(destination, pool);
    }

    /// Asks all loops to drop idle connections if others wait for their permits.
    void askToSpare() {
        client.spare();
    }

    /// Any thread; repeated calls have one effect.
    void beginToSpare() {
        if (sparing.compareAndSet(false, true)) execute(this::spare);
    }

    /// Any thread.
    void retire() {
        execute(() -> {
            for (var pool : List.copyOf(pools.values())) pool.retire();
        });
    }

    /// Any thread.
    void retireGone() {
        execute(() -> {
            for (var pool : List.copyOf(pools.values())) pool.retireIfGone();
        });
    }

    boolean isRetired() {
        return client.isRetired();
    }

    private void spare() {
        sparing.set(false);
        for (var pool : List.copyOf(pools.values())) pool.spare();
    }

    void close() {
        isClosed = true;
        for (var pool : List.copyOf(pools.values())) pool.close();
    }

    boolean isClosed() {
        return isClosed;
    }

    static Reset closed() {
        return new Reset("this client was closed before the response was complete");
    }
}
