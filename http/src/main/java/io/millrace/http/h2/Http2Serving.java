package io.millrace.http.h2;

import io.millrace.Dispatch;
import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.OtherVersion;
import io.millrace.http.exchange.Serving;
import io.millrace.loop.Greeting;
import io.millrace.loop.StreamCalls;
import io.millrace.loop.TcpConnection;
import java.time.Duration;

/// What all HTTP/2 connections of a server share.
public final class Http2Serving implements OtherVersion {
    private final Serving exchanges;
    private final HttpLimits limits;
    private final long writeNanos;
    private final boolean isOnLoop;
    private final boolean mayLeaveCall;
    private final ThreadLocal<LoopScratch> ofLoop;

    /// @param dispatch where handlers are called; connections stay on the loop
    /// @param writeTimeout how long what is written waits for a window that is shut
    public Http2Serving(Serving exchanges, Dispatch dispatch, Duration writeTimeout) {
        this.writeNanos = writeTimeout.toNanos();
        this.exchanges = exchanges;
        this.limits = exchanges.settings().limits();
        this.isOnLoop = dispatch instanceof Dispatch.OnLoop;
        this.mayLeaveCall = dispatch instanceof Dispatch.OnVirtual;
        this.ofLoop = ThreadLocal.withInitial(() -> new LoopScratch(limits));
    }

    @Override
    public void take(TcpConnection connection, Runnable closed) {
        connection.loop().execute(() -> join(connection, closed));
    }

    /// When no thread has the connection on loan.
    private void join(TcpConnection connection, Runnable closed) {
        if (!connection.isOpen()) return;
        if (connection.isLent()) {
            take(connection, closed);
            return;
        }
        var calls = StreamCalls.of(connection);
        Greeting.callback(_ -> new ServerConnection(this, connection, calls, closed))
                .accept(connection);
        connection.resume();
    }

    Serving exchanges() {
        return exchanges;
    }

    HttpLimits limits() {
        return limits;
    }

    long writeNanos() {
        return writeNanos;
    }

    boolean isOnLoop() {
        return isOnLoop;
    }

    boolean mayLeaveCall() {
        return mayLeaveCall;
    }

    /// The longest block of fields, as it arrives.
    int mostBlockBytes() {
        return FieldCollector.mostBlockBytes(limits);
    }

    /// For a new connection, on its loop.
    LoopScratch scratch() {
        return ofLoop.get();
    }
}
