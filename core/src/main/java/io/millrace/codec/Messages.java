package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.loop.Addressee;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Memberships;
import io.millrace.loop.Outbox;
import io.millrace.loop.Recipient;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SharedChain;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import java.net.SocketAddress;

/// Exchanges messages with a peer in callback style. [#over] makes an ordinary handler factory of a framing, a
/// codec and a handler of messages:
///
/// ```java
/// Tcp.listen(7008, Messages.over(frames, codec, peer -> say -> peer.send(say)));
/// ```
/// All methods may be called from any thread.
public final class Messages<M> implements GroupMember<M> {
    private final TcpConnection connection;
    private final Framing framing;
    private final Codec<M> codec;
    private final LoopOutput output;
    private final Outbox outbox;

    private volatile boolean isClosed;

    private final Memberships memberships = new Memberships();
    private final GroupSide groupSide = new GroupSide();

    private Messages(Framing framing, Codec<M> codec, TcpConnection connection) {
        this.connection = connection;
        this.framing = framing;
        this.codec = codec;
        this.output = (LoopOutput) connection.output();
        this.outbox = connection.openOutbox(memberships::closed);
        connection.inputLimit(framing.maxFrameBytes());
        // Looked up here: another loop that asks later must not wait for this one, which may be waiting for it.
        var _ = connection.remote();
    }

    /// Handlers of messages, for `Tcp.listen` and `Tcp.connect`. The connection's input limit is raised to what
    /// one frame may need.
    public static <M> HandlerFactory over(Framing framing, Codec<M> codec, MessageHandlerFactory<M> factory) {
        return connection -> {
            var peer = new Messages<>(framing, codec, TcpConnection.of(connection));
            var frames = new Frames<>(framing, codec, connection::remote);
            return new FramedHandler<>(peer, frames, factory.open(peer));
        };
    }

    /// Sends a message. The codec has encoded it when this returns, so the message may change afterwards.
    ///
    /// The handler's own calls and the loop write it to the output directly; other threads pass it through the
    /// loop. Messages keep the order in which they were sent, by one thread or by several that synchronize.
    ///
    /// Unsent messages count against the connection's output limit, wherever they wait: stop at [#isFull] until
    /// [MessageHandler#onWritable].
    ///
    /// @return false when the peer is gone, or is dropped now because more than its output limit is unsent; then
    ///         [MessageHandler#onClose] follows
    /// @throws IllegalArgumentException when the message does not fit the framing; nothing was sent
    public boolean send(M message) {
        if (!outbox.isOpen()) return false;
        if (!isDirect()) return outbox.send(out -> framing.write(message, codec, out));
        try {
            framing.write(message, codec, output);
            return true;
        } catch (Overflow e) {
            outbox.drop(e);
            return false;
        }
    }

    /// Whether more than the high watermark is unsent. After true, [MessageHandler#onWritable] follows when there
    /// is room again.
    public boolean isFull() {
        return outbox.isFull();
    }

    /// Delivers no messages until [#resume]; the peer has to wait.
    public void pause() {
        connection.pause();
    }

    /// Delivers the messages that have arrived, then goes on reading.
    public void resume() {
        connection.resume();
    }

    /// Sends the remaining output, then tells the peer that nothing more follows (half-close); reading goes on.
    public void end() {
        outbox.refuse();
        connection.end();
    }

    /// Sends the remaining output, then closes. No more messages are delivered.
    public void close() {
        isClosed = true;
        outbox.refuse();
        connection.close();
    }

    /// Drops the connection now, with its unsent output.
    public void abort() {
        isClosed = true;
        outbox.refuse();
        connection.abort();
    }

    /// The peer's address; valid also after the connection has closed.
    public SocketAddress remote() {
        return connection.remote();
    }

    /// The connection below: its loop, its options. Do not write to its output: the peer would read such bytes as
    /// the beginning of a message.
    public Connection connection() {
        return connection;
    }

    boolean isReading() {
        return !isClosed && connection.isReading();
    }

    // For groups.

    Addressee<M> addressee() {
        return groupSide;
    }

    /// What groups see.
    private final class GroupSide implements Addressee<M>, Recipient {
        @Override
        public Recipient recipient() {
            return this;
        }

        @Override
        public Encoding<M> encoding() {
            return new Framed<>(framing, codec);
        }

        @Override
        public Memberships memberships() {
            return memberships;
        }

        @Override
        public EventLoop eventLoop() {
            return EventLoop.of(connection.loop());
        }

        @Override
        public boolean isOpen() {
            return outbox.isOpen();
        }

        @Override
        public boolean isFull() {
            return outbox.isFull();
        }

        @Override
        public void deliver(Bytes frame, boolean isAhead) {
            if (!isAhead) outbox.appendInTurn(frame);
            else sendFrame(frame);
        }

        @Override
        public boolean sendAtOnce(SharedChain frames) {
            return outbox.isOpen() && connection.sendAtOnce(frames);
        }
    }

    private record Framed<M>(Framing framing, Codec<M> codec) implements Encoding<M> {
        @Override
        public Bytes frame(EventLoop lender, M message) {
            return Outbox.valueOf(lender, out -> framing.write(message, codec, out));
        }
    }

    /// Sends a frame that is encoded already.
    private void sendFrame(Bytes frame) {
        if (!outbox.isOpen()) return;
        if (!isDirect()) {
            outbox.send(frame);
            return;
        }
        try {
            output.write(frame);
        } catch (Overflow e) {
            outbox.drop(e);
        }
    }

    /// Whether the caller may write to the output, and nothing sent earlier is still on its way there. Read in this
    /// order: a group that has finished has put its frames into the outbox.
    private boolean isDirect() {
        return !memberships.isBusy() && outbox.isDirect();
    }

    @Override
    public String toString() {
        return "messages of " + connection;
    }
}
