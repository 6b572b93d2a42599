package io.millrace.net;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/// Transforms bytes between a connection and its handler: TLS is one, wire logging another. The handler sees only
/// what the stage passes on. Several form a chain, the first next to the wire: each is opened when the one before
/// it is ready, and the handler is made when all of them are.
///
/// ```
///   wire ─ receive ─► first ─ receive ─► second ─► handler
///        ◄── send ──        ◄── send ───        ◄─
/// ```
@FunctionalInterface
public interface Stage {
    /// The stage's side of a connection; called on its loop when the connection is open and the stages before this
    /// one are ready.
    Link open(Context context);

    /// What a stage may do with its connection.
    interface Context {
        /// The connection; its [Connection#remote] is what the stages before this one have reported.
        Connection connection();

        /// Offers nothing more until [#resume], neither what arrives nor what the handler writes; the peer has to
        /// wait, and so does the connection's end. On the loop.
        void pause();

        /// Offers again what was held back: [Link#receive] is called soon, perhaps without new bytes, and then
        /// [Link#send] if there is something to send. Any thread; without effect unless paused.
        void resume();

        /// The peer has said in the stage's own protocol that it sends nothing more: the handler sees the end after
        /// what was passed on. In [Link#receive].
        void ended();

        /// Kills the connection, with a cause. On the loop; [Link#receive] and the other calls throw instead.
        void fail(IOException cause);

        /// As [#fail], but sends first what the stage has written, such as an alert in its own protocol. On the
        /// loop.
        void close(IOException cause);
    }

    /// One connection's stage. All calls come from the connection's loop and do not overlap.
    interface Link {
        /// The stage is open, and may write first.
        default void open(Output wire) throws IOException {}

        /// Whether the next stage may be opened, or the handler made: asked when the stage is open, and then after
        /// each [#receive] until true. A stage that has to identify its peer first returns false until
        /// then, and passes nothing on. It must limit the time for that itself; if the peer ends before, the
        /// connection fails.
        default boolean isReady() {
            return true;
        }

        /// What [Connection#remote] should return, if not the socket's peer; asked once, when the stage is ready.
        default Optional<SocketAddress> remote() {
            return Optional.empty();
        }

        /// As [#remote], for [Connection#local].
        default Optional<SocketAddress> local() {
            return Optional.empty();
        }

        /// As [#remote], for [Connection#security].
        default Optional<Security> security() {
            return Optional.empty();
        }

        /// Bytes arrived from the network. Write what the handler should read to `app`, and the stage's own answers
        /// to `wire`. What is left unread is offered again with the next bytes.
        void receive(Input in, Output app, Output wire) throws IOException;

        /// The handler wrote. Write what should be sent to `wire`; what is left unread is offered again.
        void send(Input in, Output wire) throws IOException;

        /// Nothing more will be sent: the stage may write its last bytes.
        default void end(Output wire) throws IOException {}

        /// The peer ended; a protocol with an end of its own may consider the stream truncated.
        ///
        /// @throws IOException when the peer ended too early; the connection fails with it
        default void ended() throws IOException {}

        /// Whether from now on it passes both directions on unchanged, and writes no last bytes: a stage that was
        /// needed only at the beginning. When all stages of a connection are done, and hold nothing, the
        /// connection goes on without them. Asked whenever bytes have passed, until true; it must not change
        /// back.
        default boolean isDone() {
            return false;
        }

        /// The connection is closed, or goes on without its stages; called once, last.
        default void closed() {}
    }
}
