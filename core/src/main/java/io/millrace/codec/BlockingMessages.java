package io.millrace.codec;

import io.millrace.loop.DirectStyle;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/// Exchanges messages with a peer in direct style: plain blocking calls, used by the thread that owns the
/// connection.
///
/// ```java
/// Tcp.serve(7009, BlockingMessages.over(frames, codec, peer -> {
///     for (Say say; (say = peer.receive()) != null; ) peer.send(say);
/// }));
/// ```
public final class BlockingMessages<M> implements AutoCloseable {
    private final DirectStyle connection;
    private final Framing framing;
    private final Codec<M> codec;
    private final LoopInput input;
    private final LoopOutput output;
    private final Frames<M> frames;

    private BlockingMessages(BlockingConnection connection, Framing framing, Codec<M> codec) {
        this.connection = (DirectStyle) connection;
        this.framing = framing;
        this.codec = codec;
        this.input = (LoopInput) connection.input();
        this.output = (LoopOutput) connection.output();
        this.frames = new Frames<>(framing, codec, connection::remote);
        this.connection.inputLimit(framing.maxFrameBytes());
    }

    /// Sessions of messages, for `Tcp.serve`.
    public static <M> Session over(Framing framing, Codec<M> codec, MessageSession<M> session) {
        return connection -> session.run(of(connection, framing, codec));
    }

    /// Messages over a connection, for a client: `BlockingMessages.of(Tcp.connect("localhost", 7009), …)`. From now
    /// on only this object may read the connection.
    public static <M> BlockingMessages<M> of(BlockingConnection connection, Framing framing, Codec<M> codec) {
        return new BlockingMessages<>(connection, framing, codec);
    }

    /// The next message; waits for it, after sending what was written.
    ///
    /// @return null when the peer has ended after a whole message, or the server is stopping
    /// @throws io.millrace.net.ProtocolError when the peer breaks the rules of framing or codec, or ends inside a
    ///                                       message
    public @Nullable M receive() throws IOException {
        while (true) {
            M message = frames.next(input);
            if (message != null) return message;
            if (!connection.read()) break;
        }
        if (connection.inputHasEnded()) Frames.checkEnd(input.remaining());
        return null;
    }

    /// Writes a message. It is sent at [#flush], when [#receive] has to wait, when the session returns, and above
    /// the high watermark, where this call waits for room.
    ///
    /// @throws IllegalArgumentException when the message does not fit the framing; nothing was sent
    public void send(M message) throws IOException {
        try {
            framing.write(message, codec, output);
        } catch (UncheckedIOException e) {
            throw java.util.Objects.requireNonNull(e.getCause());
        }
    }

    /// Sends what was written.
    public void flush() throws IOException {
        connection.flush();
    }

    /// Sends what was written, then tells the peer that nothing more follows (half-close); receiving goes on.
    public void end() throws IOException {
        connection.end();
    }

    /// Sends what was written, then closes; does not wait for that. A session that returns closes by itself.
    @Override
    public void close() {
        connection.close();
    }

    /// The connection below: its address, its loop, its options, `abort`.
    public BlockingConnection connection() {
        return connection;
    }
}
