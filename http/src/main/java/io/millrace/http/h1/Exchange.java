package io.millrace.http.h1;

import org.jspecify.annotations.Nullable;

/// One request and its response, as far as both matter to each other; reused for the next.
final class Exchange {
    private @Nullable ParsedRequest request;
    private boolean isHead;
    private boolean isOldPeer;
    private boolean keepsAlive;

    /// A head has been read.
    void begin(RequestHead head, boolean mayKeepAlive) {
        isHead = head.method().equals("HEAD");
        isOldPeer = head.isOld();
        keepsAlive = mayKeepAlive && head.keepsAlive();
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

    void end() {
        if (request != null) request.expire();
        request = null;
        isHead = false;
    }

    /// The response is the last one.
    void isLast() {
        keepsAlive = false;
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

    /// What it is about, for a log.
    @Override
    public String toString() {
        return request == null ? "a request" : request.toString();
    }
}
