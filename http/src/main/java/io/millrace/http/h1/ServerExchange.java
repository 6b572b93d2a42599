package io.millrace.http.h1;

import org.jspecify.annotations.Nullable;

/// One request and its response, as far as both matter to each other; reused for the next.
final class ServerExchange {
    private @Nullable ParsedRequest request;
    private boolean isHead;
    private boolean isOldPeer;
    private boolean keepsAlive;
    private boolean isPeersLast;
    private boolean endsWithConnection;

    /// A head has been read.
    void begin(RequestHead head, boolean mayKeepAlive) {
        isHead = head.method().equals("HEAD");
        isOldPeer = head.isOld();
        keepsAlive = mayKeepAlive && head.keepsAlive();
        endsWithConnection = false;
        isPeersLast = !head.keepsAlive() && !head.hasBody() && !head.isMethod("CONNECT");
    }

    void request(ParsedRequest request) {
        this.request = request;
    }

    /// The request; there is one while there is an exchange.
    ParsedRequest request() {
        var mine = request;
        if (mine == null) throw new IllegalStateException("there is no exchange");
        return mine;
    }

    /// Whether it came over TLS.
    boolean isSecure() {
        return request != null && request.isSecure();
    }

    void end() {
        if (request != null) request.expire();
        request = null;
        isHead = false;
    }

    /// The response is the last one.
    void endKeepAlive() {
        keepsAlive = false;
    }

    /// Nothing but the end of the connection tells where the response's body ends.
    void endWithConnection() {
        endsWithConnection = true;
        keepsAlive = false;
    }

    boolean endsWithConnection() {
        return endsWithConnection;
    }

    boolean isHead() {
        return isHead;
    }

    boolean isOldPeer() {
        return isOldPeer;
    }

    boolean keepsAlive() {
        return keepsAlive;
    }

    /// Whether the peer sends nothing behind this request: it has said so, and a body it has none (RFC 9112
    /// section 9.6).
    boolean isPeersLast() {
        return isPeersLast;
    }

    /// What it is about, for a log.
    @Override
    public String toString() {
        return request == null ? "a request" : request.toString();
    }
}
