package io.millrace.lab.load;

/// What the lab exchanges with a server.
public enum Exchange {
    /// Messages that come back as they were.
    ECHO,
    /// Requests for `/plaintext` on persistent connections (HTTP/1.1), one at a time or pipelined.
    REQUESTS,
    /// The same, each with a field that no other request has: a server that remembers heads gains nothing.
    VARIED_REQUESTS,
    /// Such a request on a connection of its own, which the server closes after its response.
    CLOSE,
    /// Requests for a page of some size on persistent connections, one at a time.
    PAGES,
    /// Requests for `/plaintext` in streams of persistent connections (HTTP/2), one or several at a time.
    STREAMS,
    /// Requests for a page of some size in such streams.
    STREAMED_PAGES,
    /// Requests to `/echo` with a body of some size, which comes back, on persistent connections, one at a
    /// time.
    BODIES,
    /// As [#CLOSE] over TLS, each with a full handshake.
    HANDSHAKES,
    /// As [#CLOSE] over TLS, each resuming an earlier session.
    RESUMED,
    /// Messages of text over WebSockets that come back as they were.
    WS_ECHO,
    /// Messages of text over WebSockets that go to all of them, from a few.
    BROADCAST,
    /// The same, and one in a hundred reads hardly anything.
    SLOW_BROADCAST,
    /// As [#BROADCAST], compressed by the server.
    PACKED_BROADCAST;

    /// Whether it is HTTP.
    public boolean isHttp() {
        return this != ECHO && this != WS_ECHO && !isBroadcast();
    }

    /// Whether each message goes to all connections.
    public boolean isBroadcast() {
        return this == BROADCAST || this == SLOW_BROADCAST || this == PACKED_BROADCAST;
    }

    /// Whether it is HTTP/2.
    public boolean isHttp2() {
        return this == STREAMS || this == STREAMED_PAGES;
    }

    /// Whether its messages or bodies have a size that can be chosen.
    public boolean hasSize() {
        return switch (this) {
            case ECHO, PAGES, STREAMED_PAGES, BODIES, WS_ECHO, BROADCAST, SLOW_BROADCAST, PACKED_BROADCAST -> true;
            case REQUESTS, VARIED_REQUESTS, CLOSE, STREAMS, HANDSHAKES, RESUMED -> false;
        };
    }
}
