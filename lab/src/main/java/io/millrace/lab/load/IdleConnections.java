package io.millrace.lab.load;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Tcp;
import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Connections to an echo server that exchange one message each, so that the server has all it needs for them, and then
/// keep silent.
final class IdleConnections implements AutoCloseable {
    private static final int ATTEMPTS = 32;
    private static final byte[] MESSAGE = new byte[64];

    private final SocketAddress server;
    private final Duration patience;
    private final EventLoops loops;
    private final int count;
    private final AtomicInteger attempted = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> complete = new CompletableFuture<>();

    private IdleConnections(SocketAddress server, int count, Duration patience, EventLoops loops) {
        this.server = server;
        this.count = count;
        this.patience = patience;
        this.loops = loops;
    }

    /// Opens them and waits until the last message has come back.
    ///
    /// @param patience for each connection, and ten times as long for all of them
    static IdleConnections open(SocketAddress server, int count, Duration patience, EventLoops loops)
            throws IOException, InterruptedException {
        var idle = new IdleConnections(server, count, patience, loops);
        for (int i = 0; i < ATTEMPTS; i++) idle.connectNext();
        try {
            idle.complete.get(10 * patience.toNanos(), TimeUnit.NANOSECONDS);
            return idle;
        } catch (ExecutionException e) {
            idle.close();
            throw idle.failure(String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            idle.close();
            throw idle.failure("time is over", e);
        }
    }

    private IOException failure(String why, Exception cause) {
        return new IOException("of " + count + " connections " + answered.get() + " answered: " + why, cause);
    }

    private void connectNext() {
        if (attempted.getAndIncrement() >= count || complete.isDone()) return;
        Tcp.connect(Connect.to(server).loops(loops).timeout(patience), this::exchange)
                .whenComplete((_, failure) -> {
                    if (failure != null) complete.completeExceptionally(failure);
                });
    }

    private Handler exchange(Connection connection) {
        open.add(connection);
        connection.loop().execute(() -> connection.output().write(MESSAGE, 0, MESSAGE.length));
        return new Handler() {
            private long missing = MESSAGE.length;

            @Override
            public void onInput(Input in) {
                missing -= in.remaining();
                in.skip(in.remaining());
                if (missing != 0) return;
                if (answered.incrementAndGet() == count) complete.complete(null);
                else connectNext();
            }

            @Override
            public void onClose(@Nullable IOException cause) {
                open.remove(connection);
                complete.completeExceptionally(new IOException("the server closed a connection", cause));
            }
        };
    }

    /// How many the server has not closed.
    int stillOpen() {
        return open.size();
    }

    @Override
    public void close() {
        for (var connection : open) connection.abort();
    }
}
