package io.millrace.http.client;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.h1.ClientConnection;
import io.millrace.http.h1.ClientExchange;
import io.millrace.http.h1.OutgoingRequest;
import io.millrace.http.h1.UpgradeReader;
import io.millrace.http.h1.Upgraded;
import io.millrace.http.message.Destination;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Guard;
import io.millrace.net.Loop;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// One request of a caller, from its beginning to the moment he has his response, or knows that there is none: it
/// may wait for a connection, and come to a second one.
public final class Call<T> implements ClientExchange {
    private final OutgoingRequest request;
    private final Destination destination;
    private final LoopPools pools;
    private final ResponseReader<T> reader;
    private final long timeoutNanos;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    // The loop's.

    private Loop.@Nullable Timer timer;
    private @Nullable ClientConnection connection;
    private boolean isOver;
    private boolean wasSent;

    Call(
            OutgoingRequest request,
            Destination destination,
            LoopPools pools,
            ResponseReader<T> reader,
            long timeoutNanos) {
        this.request = request;
        this.destination = destination;
        this.pools = pools;
        this.reader = reader;
        this.timeoutNanos = timeoutNanos;
    }

    // The caller.

    /// Begins; the result comes on the loop.
    public CompletionStage<T> begin() {
        pools.callBegan();
        if (!execute(this::submit)) {
            pools.callEnded();
            request.over();
            result.completeExceptionally(new Reset("the event loops of this client are closed"));
        }
        return result;
    }

    /// Waits for the result.
    ///
    /// @throws IOException what became of it, if it is no response
    public T await() throws IOException {
        return await(result);
    }

    /// Waits for something that the loop brings about. Who is interrupted gives up the call.
    <V> V await(CompletableFuture<V> awaited) throws IOException {
        EventLoop.checkMayWait("a body that is read as it arrives", "read it with a ResponseReader");
        try {
            pools.loop().host().await(awaited);
            return awaited.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            execute(this::giveUp);
            throw new InterruptedIOException("interrupted while waiting for the response to " + request);
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
    public boolean execute(Runnable task) {
        try {
            pools.loop().execute(task);
            return true;
        } catch (RejectedExecutionException _) {
            return false;
        }
    }

    // The loop.

    private void submit() {
        if (timeoutNanos > 0) timer = pools.loop().after(Duration.ofNanos(timeoutNanos), this::expired);
        pools.submit(destination, this);
    }

    private void expired() {
        if (isOver) return;
        var detail = "no complete response to " + request + " within " + timeoutNanos / 1_000_000 + " ms"
                + (connection == null ? ", nor a connection" : "") + " (" + Guard.HTTP_CLIENT_TIMEOUT.label() + ")";
        Guard.HTTP_CLIENT_TIMEOUT.acted(destination.address(), detail);
        drop(new TimedOut(detail));
    }

    /// Nobody wants the response any more; on the loop.
    public void giveUp() {
        drop(new Reset("given up by its caller"));
    }

    private void drop(IOException cause) {
        if (isOver) return;
        var carrier = connection;
        if (carrier != null) carrier.drop(cause);
        else pools.forget(destination, this);
        failed(cause);
    }

    /// Stops the response for a while; it has begun. On the loop.
    public void pause() {
        if (connection != null) connection.pause();
    }

    /// It goes on; on the loop.
    public void resume() {
        if (connection != null) connection.resume();
    }

    @Override
    public OutgoingRequest request() {
        return request;
    }

    @Override
    public void begun(ClientConnection carrier) {
        connection = carrier;
        wasSent = true;
    }

    /// Whether a connection has carried it, in vain or not; on the loop, also when it is over.
    public boolean wasSent() {
        return wasSent;
    }

    /// Where it is.
    public EventLoop loop() {
        return pools.loop();
    }

    @Override
    public void interim(Response head) throws Exception {
        reader.onInterim(head);
    }

    @Override
    public boolean mayUpgrade() {
        return reader instanceof UpgradeReader<T> mine && mine.mayUpgrade();
    }

    @Override
    public void upgraded(Upgraded to) {
        if (reader instanceof UpgradeReader<T> mine) mine.onUpgrade(to);
        end();
    }

    @Override
    public void head(Response head) throws Exception {
        reader.onHead(head);
    }

    @Override
    public void body(Input part) throws Exception {
        reader.onBody(part);
    }

    @Override
    public void trailers(Headers trailers) throws Exception {
        reader.onTrailers(trailers);
    }

    @Override
    public void end() {
        // The time is over, though the end was there before.
        if (isOver) return;
        T value;
        try {
            value = reader.onEnd();
        } catch (Throwable e) {
            over();
            result.completeExceptionally(e);
            if (e instanceof Error error) throw error;
            return;
        }
        over();
        result.complete(value);
    }

    @Override
    public void failed(Throwable cause) {
        if (isOver) return;
        over();
        try {
            reader.onAbort();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
        result.completeExceptionally(cause);
    }

    private void over() {
        isOver = true;
        connection = null;
        if (timer != null) timer.cancel();
        request.over();
        // Before the caller can ask again.
        pools.callEnded();
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public String toString() {
        return request.toString();
    }
}
