package io.millrace.http.message;

import io.millrace.http.ResponseReader;
import java.util.Optional;

/// Takes a response that may change the protocol.
///
/// @param <T> as for any reader
public interface UpgradeReader<T> extends ResponseReader<T> {
    /// The change that the request asked for, if any.
    Optional<Handshake> handshake();

    /// Whether it needs a new connection, because a used one was closed before this request arrived.
    default boolean wantsNewConnection() {
        return false;
    }

    /// The server has not been asked, because it speaks only HTTP/2 and does not offer the change there (RFC 8441);
    /// [#onAbort] follows.
    default void onNoUpgrade() {}

    /// The server has changed the protocol, and the connection belongs to the reader; called instead of
    /// [#onHead]. The exchange lasts as long as the connection, until [#onEnd].
    void onUpgrade(Upgraded connection);
}
