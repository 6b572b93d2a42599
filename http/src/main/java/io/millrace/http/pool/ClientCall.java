package io.millrace.http.pool;

import io.millrace.loop.Awaiting;
import io.millrace.loop.EventLoop;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

/// A caller's call: one request, or several, the last of which gives the response.
///
/// @param <T> the result of its reader
public abstract class ClientCall<T> {
    final CallResult result = new CallResult();

    /// Completing it from outside stops the request.
    final class CallResult extends CompletableFuture<T> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            return stopped(super.cancel(mayInterrupt));
        }

        /// [CompletableFuture#orTimeout] ends here.
        @Override
        public boolean completeExceptionally(Throwable cause) {
            return stopped(super.completeExceptionally(cause));
        }

        @Override
        public boolean complete(T value) {
            return stopped(super.complete(value));
        }

        private boolean stopped(boolean isFirst) {
            if (isFirst) execute(ClientCall.this::giveUp);
            return isFirst;
        }

        void succeed(T value) {
            super.complete(value);
        }

        void fail(Throwable cause) {
            super.completeExceptionally(cause);
        }
    }

    /// Begins; the result comes on a loop.
    public abstract CompletableFuture<T> begin();

    /// The loop of its response. Any thread.
    abstract EventLoop loop();

    /// The loops that may bring the response.
    abstract List<EventLoop> loops();

    /// The response is no longer wanted; on the loop.
    public abstract void giveUp();

    /// Pauses a response that has begun. On the loop.
    public abstract void pause();

    /// Resumes it; on the loop.
    public abstract void resume();

    /// On the loop.
    public abstract boolean isOver();

    static Reset givenUp() {
        return new Reset("given up by its caller");
    }

    /// Waits for the result.
    ///
    /// @throws IOException if there is no response
    public final T await() throws IOException {
        return await(result);
    }

    /// Waits for something that the loop does. If the thread is interrupted, the call is given up.
    final <V> V await(CompletableFuture<V> awaited) throws IOException {
        EventLoop.checkMayWait("a body that is read as it arrives", "read it with a ResponseReader");
        try {
            return Awaiting.result(loops(), this, awaited);
        } catch (IllegalStateException e) {
            execute(this::giveUp);
            throw e;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            execute(this::giveUp);
            throw new InterruptedIOException("interrupted while waiting for the response to " + this);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException io -> throw io;
                case RuntimeException thrown -> throw thrown;
                case Error error -> throw error;
                case null, default -> throw new IOException(e.getCause());
            }
        }
    }

    /// Runs a task on the loop.
    ///
    /// @return false if the loop is gone, and this call with it
    public final boolean execute(Runnable task) {
        try {
            loop().execute(task);
            return true;
        } catch (RejectedExecutionException _) {
            return false;
        }
    }
}
