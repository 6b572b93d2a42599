package io.millrace.proxy.websocket;

/// What ended a WebSocket.
public enum ClosedBy {
    CLIENT("client"),
    BACKEND("backend"),

    /// The client's connection ended without a close frame.
    CLIENT_GONE("client-gone"),

    /// The backend's connection ended without a close frame, and the client got one of ours.
    BACKEND_GONE("backend-gone"),

    /// Nothing moved.
    IDLE("idle"),

    /// This server stops.
    DRAIN("drain"),

    /// No close frame was seen.
    NOBODY("nobody");

    private final String word;

    ClosedBy(String word) {
        this.word = word;
    }

    /// Its name in metrics and logs.
    public String word() {
        return word;
    }
}
