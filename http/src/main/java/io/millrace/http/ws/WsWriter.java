package io.millrace.http.ws;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.memory.LoopInput;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// Writes frames (RFC 6455 section 5): a server's as they are, a client's with masks.
///
/// ```
///   BETWEEN messages ── text, binary, shared ──► BETWEEN
///      └── part, not the last one ──► WITHIN a message ── part, the last one ──► BETWEEN
///   in both: ping, pong, close
/// ```
/// If the output has no room ([io.millrace.bytes.Overflow]), part of a frame may have been written: the connection
/// is over then. Used by the thread that has the output.
public final class WsWriter {
    private static final byte[] NONE = {};

    private final @Nullable MessageDeflater deflater;
    private final @Nullable IntSupplier masks;
    private boolean isWithin;

    private WsWriter(@Nullable MessageDeflater deflater, @Nullable IntSupplier masks) {
        this.deflater = deflater;
        this.masks = masks;
    }

    /// For a server's frames.
    ///
    /// @param deflater null if messages must not be packed
    public static WsWriter ofServer(@Nullable MessageDeflater deflater) {
        return new WsWriter(deflater, null);
    }

    /// For a client's frames.
    ///
    /// @param deflater null if messages must not be packed
    /// @param masks a [MaskSource]
    public static WsWriter ofClient(@Nullable MessageDeflater deflater, IntSupplier masks) {
        return new WsWriter(deflater, masks);
    }

    // Whole messages, packed if that is agreed on and worth it.

    public void text(Output out, String text) {
        requireBetween();
        var bytes = text.getBytes(UTF_8);
        var packed = packed(deflater, bytes);
        frame(out, WsCodes.FIN | WsCodes.TEXT | flag(packed), packed.orElse(bytes));
    }

    /// The same, without an allocation for a text that fits and is not packed.
    ///
    /// @param room for the text, overwritten
    public void text(Output out, String text, byte[] room) {
        long most = Utf8.mostBytes(text);
        if (most > room.length || (deflater != null && deflater.isWorth((int) most))) {
            text(out, text);
            return;
        }
        requireBetween();
        frame(out, WsCodes.FIN | WsCodes.TEXT, room, Utf8.encode(text, room));
    }

    public void binary(Output out, Bytes bytes) {
        requireBetween();
        var packed = packed(deflater, bytes);
        if (packed.isPresent()) frame(out, WsCodes.FIN | WsCodes.BINARY | WsCodes.COMPRESSED, packed.get());
        else frame(out, WsCodes.FIN | WsCodes.BINARY, bytes);
    }

    private void requireBetween() {
        if (isWithin)
            throw new IllegalStateException("a message in parts has not ended: send its last part before another one");
    }

    private static Optional<byte[]> packed(@Nullable MessageDeflater deflater, byte[] plain) {
        return deflater == null ? Optional.empty() : deflater.deflate(plain);
    }

    private static Optional<byte[]> packed(@Nullable MessageDeflater deflater, Bytes plain) {
        boolean isWorth = deflater != null && deflater.isWorth(plain.length());
        return isWorth ? packed(deflater, plain.toArray()) : Optional.empty();
    }

    private static int flag(Optional<byte[]> packed) {
        return packed.isPresent() ? WsCodes.COMPRESSED : 0;
    }

    // A message for many peers of a server: encoded once as it is and once packed, and shared by reference.

    /// A frame for [#shared].
    ///
    /// @param deflater [MessageDeflater#ofShared] for peers that have agreed on packed messages, null for others
    public static Bytes encode(boolean isText, Bytes message, @Nullable MessageDeflater deflater) {
        var packed = packed(deflater, message);
        var payload = packed.map(MemorySegment::ofArray).orElse(message.segment());
        int first = WsCodes.FIN | (isText ? WsCodes.TEXT : WsCodes.BINARY) | flag(packed);
        return Bytes.copyOf(MemorySegment.ofArray(header(first, payload.byteSize())), payload);
    }

    /// A frame of [#encode]. A client masks a copy of it.
    public void shared(Output out, Bytes frame) {
        requireBetween();
        if (masks == null) {
            out.write(frame);
            return;
        }
        int shown = frame.at(1) & 0xff;
        int header = 2 + (shown == WsCodes.LONG_LENGTH ? Long.BYTES : shown == WsCodes.SHORT_LENGTH ? Short.BYTES : 0);
        frame(out, frame.at(0) & 0xff, frame.segment().asSlice(header).toArray(ValueLayout.JAVA_BYTE));
    }

    /// Whether such a frame could be sent now, and just as it is.
    public boolean sharesAsItIs() {
        return !isWithin && masks == null;
    }

    // A message in parts, each a frame, which is not packed.

    /// The next part, whose slabs move; none of them may be a value's.
    ///
    /// @param isText the same for all parts; those of a text may end within a character
    public void part(Output out, boolean isText, LoopInput part, boolean isLast) {
        long length = part.remaining();
        int mask = begin(out, ofPart(isText, isLast), length);
        WsMask.apply(part, length, mask);
        out.move(part, length);
    }

    /// The next part, a value.
    public void part(Output out, boolean isText, Bytes part, boolean isLast) {
        frame(out, ofPart(isText, isLast), part);
    }

    private int ofPart(boolean isText, boolean isLast) {
        int kind = isWithin ? WsCodes.CONTINUATION : isText ? WsCodes.TEXT : WsCodes.BINARY;
        isWithin = !isLast;
        return (isLast ? WsCodes.FIN : 0) | kind;
    }

    // Frames that control the connection, also within a message.

    /// Asks for a pong with the same payload.
    ///
    /// @throws IllegalArgumentException for more than 125 bytes
    public void ping(Output out, Bytes payload) {
        control(out, WsCodes.PING, payload);
    }

    /// Answers a ping, or shows that this end is there.
    ///
    /// @throws IllegalArgumentException for more than 125 bytes
    public void pong(Output out, Bytes payload) {
        control(out, WsCodes.PONG, payload);
    }

    private void control(Output out, int kind, Bytes payload) {
        if (payload.length() > WsCodes.MOST_CONTROL_BYTES) {
            throw new IllegalArgumentException(
                    "a payload of " + payload.length() + " bytes: pings and pongs have 125 at most");
        }
        frame(out, WsCodes.FIN | kind, payload);
    }

    /// The last frame.
    ///
    /// @param code [WsCodes#NONE] for none
    /// @param reason of up to 123 bytes; a longer one is cut
    /// @throws IllegalArgumentException for a code that must not be sent
    public void close(Output out, int code, String reason) {
        if (code != WsCodes.NONE && !WsCodes.mayBeSent(code))
            throw new IllegalArgumentException("the code " + code + " to close must not be sent: take 1000, or one "
                    + "of your own from 4000 to 4999");
        frame(out, WsCodes.FIN | WsCodes.CLOSE, code == WsCodes.NONE ? NONE : closing(code, reason));
    }

    private static byte[] closing(int code, String reason) {
        var text = reason.getBytes(UTF_8);
        int length = Math.min(text.length, WsCodes.MOST_CONTROL_BYTES - 2);
        // Not within a character.
        while (length < text.length && (text[length] & 0xc0) == 0x80) length--;
        var payload = new byte[2 + length];
        payload[0] = (byte) (code >> 8);
        payload[1] = (byte) code;
        System.arraycopy(text, 0, payload, 2, length);
        return payload;
    }

    // Frames.

    private void frame(Output out, int first, Bytes payload) {
        if (masks != null) {
            frame(out, first, payload.toArray());
            return;
        }
        begin(out, first, payload.length());
        out.write(payload);
    }

    private void frame(Output out, int first, byte[] payload) {
        frame(out, first, payload, payload.length);
    }

    /// @param payload this writer's own for this call
    private void frame(Output out, int first, byte[] payload, int length) {
        int mask = begin(out, first, length);
        if (mask != 0) WsMask.apply(MemorySegment.ofArray(payload), 0, length, mask);
        out.write(payload, 0, length);
    }

    /// @return the mask
    private int begin(Output out, int first, long length) {
        int mask = masks == null ? 0 : masks.getAsInt();
        out.writeShort(first << 8 | shownLength(length) | (masks == null ? 0 : WsCodes.MASKED));
        switch (lengthBytes(length)) {
            case 0 -> {}
            case Short.BYTES -> out.writeShort((int) length);
            default -> out.writeLong(length);
        }
        if (masks != null) out.writeInt(mask);
        return mask;
    }

    private static int shownLength(long length) {
        return switch (lengthBytes(length)) {
            case 0 -> (int) length;
            case Short.BYTES -> WsCodes.SHORT_LENGTH;
            default -> WsCodes.LONG_LENGTH;
        };
    }

    /// How many bytes behind the first two tell the length.
    private static int lengthBytes(long length) {
        return length <= WsCodes.MOST_CONTROL_BYTES ? 0 : length <= 0xffff ? Short.BYTES : Long.BYTES;
    }

    /// The header of a frame without a mask.
    private static byte[] header(int first, long length) {
        int more = lengthBytes(length);
        var header = new byte[2 + more];
        header[0] = (byte) first;
        header[1] = (byte) shownLength(length);
        for (int i = 0; i < more; i++) header[2 + i] = (byte) (length >> (8 * (more - 1 - i)));
        return header;
    }
}
