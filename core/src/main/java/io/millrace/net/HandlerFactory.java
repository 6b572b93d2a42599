package io.millrace.net;

/// Makes the handler of a new connection; called once for each, on the connection's loop.
@FunctionalInterface
public interface HandlerFactory {
    Handler open(Connection conn);

    /// Whether its handlers use more than their own connection, and so must run on its loop: then a server with
    /// another dispatch does not start.
    default boolean needsLoop() {
        return false;
    }
}
