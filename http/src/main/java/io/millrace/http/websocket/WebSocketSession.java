package io.millrace.http.websocket;

/// Talks to one peer in direct style: plain blocking calls, on a virtual thread of its own. The socket is closed when
/// this returns, with 1000, or with 1011 if it throws, which is logged.
@FunctionalInterface
public interface WebSocketSession {
    /// Until it returns.
    void run(BlockingWebSocket socket) throws Exception;
}
