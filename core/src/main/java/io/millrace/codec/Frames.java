package io.millrace.codec;

import io.millrace.bytes.Underflow;
import io.millrace.loop.CoreGuards;
import io.millrace.memory.LoopInput;
import io.millrace.net.ProtocolError;
import java.net.SocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The messages in one connection's input. Used by the thread that the input is lent to.
final class Frames<M> {
    private final Framing framing;
    private final Codec<M> codec;
    private final Supplier<SocketAddress> peer;

    /// How many bytes of the input were searched without finding the end of a frame.
    private long scanned;

    Frames(Framing framing, Codec<M> codec, Supplier<SocketAddress> peer) {
        this.framing = framing;
        this.codec = codec;
        this.peer = peer;
    }

    /// Takes the next message out of the input; null, and nothing taken, when its frame is incomplete.
    @Nullable
    M next(LoopInput in) throws ProtocolError {
        long length = nextLength(in);
        if (length == Framing.INCOMPLETE) {
            scanned = in.remaining();
            return null;
        }
        scanned = 0;
        int header = framing.headerBytes(in);
        int trailer = framing.trailerBytes(in, length);
        in.skip(header);
        M message = decode(in, length - header - trailer);
        in.skip(trailer);
        return message;
    }

    private long nextLength(LoopInput in) throws ProtocolError {
        try {
            return framing.next(in, scanned);
        } catch (ProtocolError e) {
            CoreGuards.FRAME.acted(peer.get(), String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private M decode(LoopInput in, long bodyBytes) throws ProtocolError {
        long hidden = in.narrow(bodyBytes);
        try {
            return decodeWhole(in, bodyBytes);
        } catch (ProtocolError e) {
            // This may be the only record of why the connection closed: a handler may ignore its end.
            CoreGuards.FRAME.acted(peer.get(), String.valueOf(e.getMessage()));
            throw e;
        } finally {
            in.widen(hidden);
        }
    }

    private M decodeWhole(LoopInput in, long bodyBytes) throws ProtocolError {
        try {
            M message = codec.decode(in);
            checkRead(in.remaining(), bodyBytes);
            return message;
        } catch (Underflow e) {
            throw new ProtocolError("a frame of " + bodyBytes + " bytes is too short for its message: " + e.getMessage()
                    + "; does the peer speak this protocol?");
        }
    }

    private static void checkRead(long left, long bodyBytes) throws ProtocolError {
        if (left > 0) {
            throw new ProtocolError(left + " of " + bodyBytes + " bytes of a frame were left after its message was "
                    + "decoded: unless the peer is wrong, let the codec read or skip them");
        }
    }

    /// Checks a stream that has ended with so many bytes left.
    static void checkEnd(long left) throws ProtocolError {
        if (left > 0) {
            throw new ProtocolError("the stream ended inside a frame, after " + left
                    + " of its bytes: a peer must end after a whole frame");
        }
    }
}
