package io.millrace.loop;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Where a connection came from; told when it opens and closes.
public interface ConnectionOrigin {
    /// The connection is open: give it a style.
    void opened(TcpConnection connection);

    /// Whether another process serves from now on, so that the peer should make a new connection.
    ///
    /// @param share a number of the connection, so that not all peers are told at once
    default boolean isLast(int share) {
        return false;
    }

    /// Of the sessions that handlers of its connections start ([TcpConnection#session]).
    default Standing sessions() {
        return Standing.OF_CLIENTS;
    }

    /// The drain that has begun, if one has. Any thread.
    default @Nullable Departures departures() {
        return null;
    }

    /// The connection is closed. `wasOpen` is false for a failed attempt to connect.
    void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause);
}
