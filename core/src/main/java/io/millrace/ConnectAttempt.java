package io.millrace;

import io.millrace.loop.Awaiting;
import io.millrace.loop.Connector;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A connection that a caller waits for. Completed on its loop.
final class ConnectAttempt<T> implements Connector.Attempt {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Function<TcpConnection, T> open;

    /// Written before the result, read after it.
    private @Nullable TcpConnection connection;

    /// @param open gives the connection its style, and returns what the caller gets
    ConnectAttempt(Function<TcpConnection, T> open) {
        this.open = open;
    }

    CompletionStage<T> result() {
        return result;
    }

    /// @param what the connection's description, for a message
    T await(EventLoop loop, String what) throws IOException {
        try {
            return Awaiting.result(List.of(loop), what, result);
        } catch (IllegalStateException e) {
            cancel();
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancel();
            throw new InterruptedIOException("interrupted while connecting");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) throw io;
            throw new IOException(e.getCause());
        }
    }

    private void cancel() {
        if (result.cancel(false)) return;
        // It opened in the same moment, and nothing else will ever close it.
        var opened = connection;
        if (opened != null) opened.abort();
    }

    @Override
    public void opened(TcpConnection connection) {
        this.connection = connection;
        T opened = open.apply(connection);
        if (!result.complete(opened)) connection.abort();
    }

    @Override
    public void failed(IOException cause) {
        result.completeExceptionally(cause);
    }

    @Override
    public void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause) {
        // Without effect when the caller has the connection already; a stage or a factory may have thrown before.
        result.completeExceptionally(cause == null ? new Reset("closed before it was connected") : cause);
    }
}
