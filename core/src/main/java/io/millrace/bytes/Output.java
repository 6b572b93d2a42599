package io.millrace.bytes;

import io.millrace.memory.LoopOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A **place** to write to; the memory behind it is never yours. What is written during one turn of the event
/// loop leaves in one gathering write when the turn ends; in direct style also when a `read` has to wait, and at
/// `flush`.
///
/// Used by the thread that its connection is lent to; any other gets an [IllegalStateException], and nothing is
/// written. Other threads use `conn.loop().execute(…)`. Numbers are big-endian (network order) unless the name ends
/// in `LE`.
///
/// Every method throws [Overflow] when the connection may not hold that much unsent.
public abstract sealed class Output permits LoopOutput {
    protected Output() {}

    /// The memory of a value, if it may be referred to; null when copying it is better.
    protected static @Nullable MemorySegment toShare(Bytes bytes, boolean isTight) {
        return bytes.toShare(isTight);
    }

    /// How many written bytes have not been passed to the kernel yet.
    public abstract long size();

    public abstract Output writeByte(int value);

    public abstract Output writeShort(int value);

    public abstract Output writeInt(int value);

    public abstract Output writeLong(long value);

    public final Output writeShortLE(int value) {
        return writeShort(Short.reverseBytes((short) value));
    }

    public final Output writeIntLE(int value) {
        return writeInt(Integer.reverseBytes(value));
    }

    public final Output writeLongLE(long value) {
        return writeLong(Long.reverseBytes(value));
    }

    /// The text in UTF-8, without a length in front of it.
    public final Output writeUtf8(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return write(bytes, 0, bytes.length);
    }

    /// Writes a value: a small one is copied; one from [Bytes#BY_REFERENCE] bytes up, or sent to many, is referred
    /// to.
    public abstract Output write(Bytes bytes);

    /// Writes a copy of part of an array.
    public abstract Output write(byte[] from, int offset, int length);

    /// Reads once from a channel, such as a file, straight into this output. Only the calling thread may use the
    /// buffer that the channel gets, and only until the channel returns; the buffer's position then says how many
    /// bytes were read.
    ///
    /// @param most the most bytes to read, 1 or more
    /// @return how many bytes were read; -1 at the channel's end
    /// @throws IOException what the channel throws
    public abstract int write(ReadableByteChannel from, int most) throws IOException;

    /// Moves all bytes of an input; see [#move(Input, long)].
    public final Output move(Input in) {
        return move(in, in.remaining());
    }

    /// Moves the next `length` bytes of an input, which consumes them. Whole blocks of memory move without being
    /// copied.
    ///
    /// @throws Underflow when the input has fewer bytes
    public abstract Output move(Input in, long length);
}
