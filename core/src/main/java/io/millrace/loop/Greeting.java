package io.millrace.loop;

import io.millrace.net.BlockingConnection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/// Gives a connection its style when it opens.
public final class Greeting {
    private Greeting() {}

    /// Handlers on the loop.
    public static Consumer<TcpConnection> callback(HandlerFactory factory) {
        return connection -> connection.style(new CallbackStyle(connection, factory));
    }

    /// Handlers on virtual threads: carried by the loop once they have earned it.
    ///
    /// @param needed see [Standing]
    public static Consumer<TcpConnection> virtual(HandlerFactory factory, int needed) {
        var standing = new Standing(needed);
        return connection -> connection.style(DispatchedStyle.virtual(connection, factory, standing));
    }

    /// Handlers on workers.
    public static Consumer<TcpConnection> pooled(HandlerFactory factory, Executor workers) {
        return connection -> connection.style(DispatchedStyle.pooled(connection, factory, workers));
    }

    /// A session for each connection.
    ///
    /// @param needed see [Standing]
    public static Consumer<TcpConnection> direct(Session session, int needed) {
        var standing = new Standing(needed);
        return connection -> DirectStyle.start(connection, session, standing);
    }

    /// A connection in direct style for a thread of the caller's.
    public static BlockingConnection borrow(TcpConnection connection) {
        var direct = DirectStyle.borrowed(connection);
        connection.style(direct);
        return direct;
    }
}
