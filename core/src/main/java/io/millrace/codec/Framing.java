package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.OpenFrame;
import io.millrace.net.ProtocolError;

/// Where messages end in a stream of bytes. A *frame* is one message on the wire: a header, a body and a trailer,
/// of which a [Codec] sees the body.
///
/// A framing has no state: keep one in a constant, and use it for any number of connections, on any thread. It
/// finds the end by peeking, and takes nothing until the frame is complete.
///
/// Each framing has a limit, which protects both sides. A peer that announces or sends more loses its connection
/// ([ProtocolError]) as soon as that is known, before memory is used for it; sending more throws an
/// [IllegalArgumentException], and nothing is sent. A connection holds one whole frame while it arrives, so the
/// limit should be far below an event loop's memory.
///
/// ```java
/// Framing.lengthPrefixed(1 << 20)                                  // 4 bytes, big-endian: most protocols
/// Framing.lengthPrefixed(1 << 20).varint()                         // Protocol Buffers, delimited
/// Framing.lengthPrefixed(1 << 20).offset(1).adjustment(-4)         // PostgreSQL: type, length of itself and the rest
/// Framing.lines(8192)                                              // Redis inline, memcached, most of what is typed
/// ```
public abstract sealed class Framing permits LengthPrefixed, Delimited, FixedLength {
    /// What [#next] returns when the frame is incomplete.
    static final long INCOMPLETE = -1;

    final int maxBytes;

    Framing(int maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("a limit of " + maxBytes + " bytes: a framing needs 1 or more");
        }
        this.maxBytes = maxBytes;
    }

    /// A length in front of each message: 4 bytes, big-endian, counting what follows them. The result's methods
    /// change the format.
    ///
    /// @param maxBytes the most bytes that may follow a length, 1 or more
    public static LengthPrefixed lengthPrefixed(int maxBytes) {
        return new LengthPrefixed(maxBytes);
    }

    /// Lines: read up to a line feed, without it and without a carriage return in front of it; written with a line
    /// feed. For a protocol that requires CR LF use `delimited(Bytes.utf8("\r\n"), maxBytes)`.
    ///
    /// @param maxBytes the longest line without its end, 1 or more
    public static Framing lines(int maxBytes) {
        return new Delimited(Bytes.utf8("\n"), true, maxBytes);
    }

    /// A delimiter after each message, which the codec does not see and no message may contain.
    ///
    /// @param delimiter 1 byte or more
    /// @param maxBytes  the longest message without its delimiter, 1 or more
    public static Framing delimited(Bytes delimiter, int maxBytes) {
        return new Delimited(delimiter, false, maxBytes);
    }

    /// Messages of one length.
    ///
    /// @param lengthBytes 1 or more
    public static Framing fixed(int lengthBytes) {
        return new FixedLength(lengthBytes);
    }

    // Reading.

    /// The length of the next frame with header and trailer, or [#INCOMPLETE]. Consumes nothing.
    ///
    /// @param scanned how many bytes of the input an earlier call has searched and found incomplete, so that a
    ///                frame which arrives in pieces is not searched from its start for each piece
    abstract long next(Input in, long scanned) throws ProtocolError;

    /// How many bytes of the whole frame at the front of the input come before its body.
    abstract int headerBytes(Input in);

    /// How many bytes of the whole frame at the front of the input come after its body.
    abstract int trailerBytes(Input in, long frameBytes);

    /// The longest frame with header and trailer.
    abstract long maxFrameBytes();

    // Writing.

    /// Writes a message as a frame: all of it, or nothing and an exception.
    ///
    /// @throws IllegalArgumentException when the message does not fit this framing
    final <M> void write(M message, Codec<M> codec, LoopOutput out) {
        var frame = out.frame();
        frame.begin(spareBytes(), headerBytesToSeal());
        try {
            codec.encode(message, out);
            seal(frame, out);
        } catch (RuntimeException | Error e) {
            frame.drop();
            throw e;
        }
        frame.end();
    }

    /// Bytes to reserve in front of what the codec writes.
    abstract int spareBytes();

    /// How many bytes at the beginning of a frame, spare ones included, [#seal] may change.
    int headerBytesToSeal() {
        return spareBytes();
    }

    /// Checks what the codec wrote, and completes the frame.
    abstract void seal(OpenFrame frame, LoopOutput out);

    final void checkSize(long bytes) {
        if (bytes > maxBytes) {
            throw new IllegalArgumentException("a message of " + bytes + " bytes is over the limit of " + maxBytes
                    + " of " + this + ": send less, or raise the limit of both sides");
        }
    }

    final ProtocolError tooLong(String what) {
        return new ProtocolError(what + " is over the limit of " + maxBytes + " bytes of " + this
                + ": raise the limit if the peer may send that much");
    }
}
