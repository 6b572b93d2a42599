package io.millrace.http.h2;

import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.exchange.ConnectionOwner;
import io.millrace.http.exchange.PooledConnection;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Connection;

/// What a client's HTTP/2 connections on one loop share. On that loop.
public final class Http2Calling {
    private final HttpLimits limits;
    private final ClientTimeouts timeouts;
    private final LoopScratch scratch;

    public Http2Calling(HttpLimits limits, ClientTimeouts timeouts) {
        this.limits = limits;
        this.timeouts = timeouts;
        this.scratch = new LoopScratch(limits);
    }

    /// A connection that has just opened, to a server that speaks HTTP/2.
    public PooledConnection open(Connection connection, ConnectionOwner owner) {
        return new ClientSideConnection(this, TcpConnection.of(connection), owner);
    }

    HttpLimits limits() {
        return limits;
    }

    ClientTimeouts timeouts() {
        return timeouts;
    }

    LoopScratch scratch() {
        return scratch;
    }
}
