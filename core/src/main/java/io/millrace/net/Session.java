package io.millrace.net;

/// The life of a connection in direct style: plain blocking code on a virtual thread of its own. When it returns,
/// what was written is sent and the connection is closed; what it throws is logged with the peer's address and
/// drops the connection. When the connection ends while the session is busy elsewhere, its thread is interrupted.
@FunctionalInterface
public interface Session {
    void run(BlockingConnection conn) throws Exception;
}
