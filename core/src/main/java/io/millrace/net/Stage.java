package io.millrace.net;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/// Bytes in, bytes out, between a connection and its handler: TLS is one, wire logging another. The handler sees
/// only what the stage hands on. Several stand in a row, the first next to the wire: each is opened when the one before
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
        /// What its [Connection#remote] says is what the stages before have found out.
        Connection connection();

        /// Offers nothing more until [#resume], neither what arrives nor what the handler writes; the peer has to
        /// wait, and so has the end of the connection. On the loop.
        void pause();

        /// Offers again what was held back: [Link#receive] is called soon, with nothing new maybe, and then
        /// [Link#send] if there is something to send. Any thread; without effect unless it is paused.
        void resume();

        /// The peer has said in the stage's own protocol that it sends nothing more: the handler hears of the end
        /// behind what is handed on. In [Link#receive].
        void ended();

        /// The connection dies, with a cause. On the loop; [Link#receive] and the others throw instead.
        void fail(IOException cause);

        /// The same, but what the stage has written leaves first: why, in its own protocol. On the loop.
        void close(IOException cause);
    }

    /// One connection's stage. All calls come from the connection's loop and do not overlap.
    interface Link {
        /// The stage is open: a chance to speak first.
        default void open(Output wire) throws IOException {}

        /// Whether the next stage may be opened, or the handler made: asked when the stage is open, and then
        /// after each [#receive] until it may. A stage that has to find out first whom it talks to says no
        /// meanwhile, and hands on nothing. It bounds the time that takes itself; if the peer ends before, the
        /// connection fails.
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

        /// As [#remote], for [Connection#security].
        default Optional<Security> security() {
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

        /// Whether from now on it passes both directions on as they are, and has no last word: a stage that was
        /// there for the beginning. When all stages of a connection are, and hold nothing, the connection
        /// goes on without them. Asked whenever bytes have passed, until it is; it must not change back.
        default boolean isDone() {
            return false;
        }

        /// The connection is closed, or goes on without its stages; called once, last.
        default void closed() {}
    }
}
