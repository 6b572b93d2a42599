package io.millrace.http.message;

import io.millrace.http.ResponseReader;
import java.util.Optional;

/// Takes a response that may be a change of protocol.
///
/// @param <T> as of any reader
public interface UpgradeReader<T> extends ResponseReader<T> {
    /// The change that its request has asked for, if it has.
    Optional<Handshake> handshake();

    /// Whether a connection that has served others will not do, as one of them was closed before it heard of this.
    default boolean wantsNewConnection() {
        return false;
    }

    /// The server has changed it, and the connection is the reader's now; called instead of [#onHead]. The
    /// exchange lasts as long as the connection does, until [#onEnd].
    void onUpgrade(Upgraded connection);
}
