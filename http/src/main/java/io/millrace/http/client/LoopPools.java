package io.millrace.http.client;

import io.millrace.http.h1.ClientConnection;
import io.millrace.http.h1.ClientExchange;
import io.millrace.http.message.Origin;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.EventLoop;
import io.millrace.net.Reset;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The pools of one loop: one for each origin that has a connection there, or a request that waits for one. All
/// is the loop's, but for the number of calls.
final class LoopPools {
    private final EventLoop loop;
    private final ClientSettings settings;
    private final ClientPools client;
    private final Map<Origin, Pool> pools = new HashMap<>();
    private byte @Nullable [] scratch;
    private boolean isClosed;

    /// Calls under way; any thread.
    private final AtomicInteger calls = new AtomicInteger();

    LoopPools(EventLoop loop, ClientSettings settings, ClientPools client) {
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

    /// Runs something on the loop, now if this is it, or if there is no loop any more.
    void onLoop(Runnable task) {
        if (!loop.inLoop()) {
            try {
                loop.execute(task);
                return;
            } catch (RejectedExecutionException _) {
                // Whoever waits has to hear of it.
            }
        }
        task.run();
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

    // The loop.

    byte[] scratch() {
        var known = scratch;
        if (known == null) scratch = known = new byte[ClientConnection.scratchBytes(settings.limits())];
        return known;
    }

    void submit(Origin origin, ClientExchange call) {
        if (isClosed) call.failed(closed());
        else pools.computeIfAbsent(origin, this::open).submit(call);
    }

    private Pool open(Origin origin) {
        int connections = client.share(settings.connections(), origin, this);
        int waiting = client.share(settings.waiting(), origin, this);
        return new Pool(this, origin, settings, connections, waiting);
    }

    /// Nobody waits any more for what has not begun.
    void forget(Origin origin, ClientExchange call) {
        var pool = pools.get(origin);
        if (pool != null) pool.forget(call);
    }

    void removeUnused(Origin origin, Pool pool) {
        pools.remove(origin, pool);
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
