package io.millrace.net;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/// Bytes in, bytes out, between a connection and its handler: TLS is one, wire logging another. The handler sees
/// only what the stage hands on.
@FunctionalInterface
public interface Stage {
    /// The stage's side of a new connection; called on its loop before its handler is made. What
    /// its [Connection#remote] says until then is the other end of the socket.
    Link open(Connection conn);

    /// One connection's stage. All calls come from the connection's loop and do not overlap.
    interface Link {
        /// The connection is open: a chance to speak first.
        default void open(Output wire) throws IOException {}

        /// Whether the handler may be made: asked when the connection is open, and then after each [#receive]
        /// until it may. A stage that has to find out first whom it talks to says no meanwhile, and hands on
        /// nothing. It bounds the time that takes itself; if the peer ends before, the connection fails.
        default boolean isReady() {
            return true;
        }

        /// Whom [Connection#remote] shall tell of, if that is not the other end of the socket; asked once, when
        /// the stage is ready.
        default Optional<SocketAddress> remote() {
            return Optional.empty();
        }

        /// As [#remote], for [Connection#local].
        default Optional<SocketAddress> local() {
            return Optional.empty();
        }

        /// Bytes arrived from the network. Write what the handler shall read to `app`, and answers of the stage's
        /// own to `wire`. What is left unread is offered again with the next bytes.
        void receive(Input in, Output app, Output wire) throws IOException;

        /// The handler wrote. Write what shall leave to `wire`; what is left unread is offered again.
        void send(Input in, Output wire) throws IOException;

        /// Nothing more will be sent: a last word.
        default void end(Output wire) throws IOException {}

        /// The peer ended, without which a protocol may consider the stream cut.
        ///
        /// @throws IOException when it ended too early; the connection fails with it
        default void ended() throws IOException {}
    }
}
