package io.millrace.net;

import io.millrace.bytes.Input;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Handles a connection in callback style. One handler belongs to one connection; its calls never overlap. With
/// `Dispatch.loop()` they run on the loop and must not block.
///
/// An exception closes this connection, and nothing else: it is logged with the peer's address and becomes the
/// cause in [#onClose].
@FunctionalInterface
public interface Handler {
    /// Bytes arrived. The input is lent until this returns; what is left unread is offered again with the next
    /// bytes.
    void onInput(Input in) throws IOException;

    /// The connection was full, and has room again: less than the low watermark is unsent.
    default void onWritable() {}

    /// Nothing was received for as long as `Listen.whenReadIdle` says, and again each time that long passes: the
    /// moment to ask the peer whether it is still there.
    default void onIdle(Connection conn) {}

    /// The peer has ended (half-close). Everything it sent was offered; what is left unread is dropped on close.
    default void onEnd(Connection conn) {
        conn.close();
    }

    /// The server is draining. Finish what is in flight, then close; at the deadline the connection is aborted.
    default void onDrain(Connection conn) {
        conn.close();
    }

    /// The connection is closed: called exactly once, last.
    ///
    /// @param cause null when it closed in order, otherwise a [NetException] or what the handler threw
    default void onClose(@Nullable IOException cause) {}
}
