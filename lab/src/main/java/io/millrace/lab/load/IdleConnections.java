package io.millrace.lab.load;

import io.millrace.EventLoops;
import io.millrace.Tcp;
import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Connections that exchange one message each, so that the server has all it needs for them, or only begin, and then
/// keep silent.
final class IdleConnections implements AutoCloseable {
    private static final int ATTEMPTS = 32;

    private final LoadSettings settings;
    private final boolean isAsking;
    private final EventLoops loops;
    private final int count;
    private final Supplier<Conversation.Protocol> protocols;
    private final AtomicInteger attempted = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> complete = new CompletableFuture<>();

    private IdleConnections(LoadSettings settings, boolean isAsking, EventLoops loops) {
        this.settings = settings;
        this.isAsking = isAsking;
        this.loops = loops;
        count = settings.connections();
        protocols = Conversation.about(settings.content());
    }

    /// Opens them and waits until all are silent.
    ///
    /// @param settings with the patience for each connection, and ten times as long for all of them
    /// @param isAsking whether each exchanges a message before
    static IdleConnections open(LoadSettings settings, boolean isAsking, EventLoops loops)
            throws IOException, InterruptedException {
        var idle = new IdleConnections(settings, isAsking, loops);
        for (int i = 0; i < ATTEMPTS; i++) idle.connectNext();
        try {
            idle.complete.get(10 * settings.patience().toNanos(), TimeUnit.NANOSECONDS);
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
        Tcp.connect(settings.connect().loops(loops), this::exchange).whenComplete((_, failure) -> {
            if (failure != null) complete.completeExceptionally(failure);
        });
    }

    private Handler exchange(Connection connection) {
        open.add(connection);
        var held = new Held(connection, protocols.get().begin(open.size()));
        connection.loop().execute(held::begin);
        return held;
    }

    /// Until it is silent.
    private final class Held implements Handler {
        private final Connection connection;
        private final Conversation conversation;
        private final MeasuredAnswer answer = new MeasuredAnswer();
        private boolean isAnswered;
        private boolean isSilent;

        Held(Connection connection, Conversation conversation) {
            this.connection = connection;
            this.conversation = conversation;
        }

        void begin() {
            conversation.reply(connection.output());
            for (int written = 0; isAsking && written < conversation.sizeBytes(); ) {
                written += conversation.write(connection.output(), 0, written);
            }
            look();
        }

        @Override
        public void onInput(Input in) {
            try {
                isAnswered |= conversation.read(in, 0, answer);
                conversation.reply(connection.output());
                if (isAnswered && !answer.isRight()) throw new BadAnswer(answer.complaint());
                look();
            } catch (BadAnswer e) {
                complete.completeExceptionally(new IOException(e.getMessage(), e));
            }
        }

        private void look() {
            if (isSilent) return;
            isSilent = isAsking ? isAnswered : conversation.hasBegun();
            if (isSilent) answered();
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            open.remove(connection);
            complete.completeExceptionally(new IOException("the server closed a connection", cause));
        }
    }

    private void answered() {
        if (answered.incrementAndGet() == count) complete.complete(null);
        else connectNext();
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
