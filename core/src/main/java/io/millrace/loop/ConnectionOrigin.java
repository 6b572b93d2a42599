package io.millrace.loop;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Where a connection came from, and who wants to know about its beginning and its end.
public interface ConnectionOrigin {
    /// The connection is open: give it a style.
    void opened(TcpConnection connection);

    /// Whether another process serves from now on, so that a peer does well to make a new connection.
    ///
    /// @param share a number of the connection, so that not all of them are told at once
    default boolean isLast(int share) {
        return false;
    }

    /// It is closed. `wasOpen` tells a failed attempt to connect from the rest.
    void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause);
}
