package io.millrace.net;

/// Makes the handler of a new connection; called once for each, on the connection's loop.
@FunctionalInterface
public interface HandlerFactory {
    Handler open(Connection conn);
}
