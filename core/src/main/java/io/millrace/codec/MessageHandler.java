package io.millrace.codec;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Handles a connection's messages in callback style: a [io.millrace.net.Handler] of messages instead of bytes,
/// with the same rules. Its calls never overlap; with `Dispatch.loop()` they run on the loop and must not block; an
/// exception closes this connection, and nothing else.
@FunctionalInterface
public interface MessageHandler<M> {
    /// A message arrived; it is yours.
    void onMessage(M message) throws IOException;

    /// The peer was full, and has room again.
    default void onWritable() {}

    /// Nothing was received for as long as `Listen.whenReadIdle` says, and again each time that long passes: the
    /// moment for a heartbeat, even while much is sent to the peer.
    default void onIdle(Messages<M> peer) {}

    /// The peer has ended after a whole message; a stream that ends inside one is a
    /// [io.millrace.net.ProtocolError].
    default void onEnd(Messages<M> peer) {
        peer.close();
    }

    /// The server is draining. Finish what is in flight, then close.
    default void onDrain(Messages<M> peer) {
        peer.close();
    }

    /// The connection is closed: called exactly once, last.
    ///
    /// @param cause null when it closed in order
    default void onClose(@Nullable IOException cause) {}
}
