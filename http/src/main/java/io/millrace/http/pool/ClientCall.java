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

/// What a caller has asked for: one request, or several of which the last one is answered.
///
/// @param <T> what its reader makes of the response
public abstract class ClientCall<T> {
    final CallResult result = new CallResult();

    /// Whoever completes it from outside stops the request.
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

    /// Where its response is, or will be. Any thread.
    abstract EventLoop loop();

    /// Those that may bring it.
    abstract List<EventLoop> loops();

    /// Nobody wants the response any more; on the loop.
    public abstract void giveUp();

    /// Stops the response for a while; it has begun. On the loop.
    public abstract void pause();

    /// It goes on; on the loop.
    public abstract void resume();

    /// On the loop.
    public abstract boolean isOver();

    static Reset givenUp() {
        return new Reset("given up by its caller");
    }

    /// Waits for the result.
    ///
    /// @throws IOException what became of it, if it is no response
    public final T await() throws IOException {
        return await(result);
    }

    /// Waits for something that the loop brings about. Who is interrupted gives up the call.
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

    /// Runs something on the loop.
    ///
    /// @return false when the loop is gone, and this call with it
    public final boolean execute(Runnable task) {
        try {
            loop().execute(task);
            return true;
        } catch (RejectedExecutionException _) {
            return false;
        }
    }
}
