package io.millrace.bytes;

import io.millrace.memory.LoopInput;

/// Bytes that arrived, **lent** to their handler: readable until you return (callback style) or until your next
/// `read` (direct style). What you leave unread is offered again, in front of the next bytes.
///
/// Nothing outlives the loan: to keep bytes, take a value ([#readBytes], [#readUtf8]) or decode them into a
/// record. A read or a search after the loan throws [IllegalStateException], a read past the end [Underflow], a
/// negative length or position [IndexOutOfBoundsException]; none of them consumes anything.
///
/// Used by the thread that it is lent to; any other gets an [IllegalStateException]. Numbers are big-endian
/// (network order) unless the name ends in `LE`. Positions are counted in bytes from the first unread byte.
public abstract sealed class Input permits LoopInput {
    protected Input() {}

    /// How many bytes can be read; 0 when the loan is over.
    public abstract long remaining();

    /// Whether there is nothing to read.
    public final boolean isEmpty() {
        return remaining() == 0;
    }

    public abstract byte peekByte(long at);

    public abstract short peekShort(long at);

    public abstract int peekInt(long at);

    public abstract long peekLong(long at);

    public abstract byte readByte();

    /// The next byte as 0 … 255.
    public final int readUnsignedByte() {
        return readByte() & 0xff;
    }

    public abstract short readShort();

    /// The next two bytes as 0 … 65 535.
    public final int readUnsignedShort() {
        return readShort() & 0xffff;
    }

    public abstract int readInt();

    public abstract long readLong();

    public final short readShortLE() {
        return Short.reverseBytes(readShort());
    }

    public final int readIntLE() {
        return Integer.reverseBytes(readInt());
    }

    public final long readLongLE() {
        return Long.reverseBytes(readLong());
    }

    /// The next `length` bytes read as UTF-8; what is not UTF-8 becomes U+FFFD.
    public abstract String readUtf8(long length);

    /// The next `length` bytes as a value.
    public abstract Bytes readBytes(long length);

    /// Copies the next `length` bytes into an array.
    public abstract void read(byte[] to, int offset, int length);

    /// Copies `length` bytes, starting at a position, into an array, and leaves them unread.
    public abstract void peek(long at, byte[] to, int offset, int length);

    /// Drops the next `length` bytes.
    public abstract void skip(long length);

    /// The position of the first byte that equals `wanted`, or -1.
    public final long indexOf(byte wanted) {
        return indexOf(wanted, 0);
    }

    /// The position of the first byte at or after `from` that equals `wanted`, or -1.
    public abstract long indexOf(byte wanted, long from);

    /// The position of the first occurrence of `wanted` at or after `from`, or -1.
    public abstract long indexOf(Bytes wanted, long from);
}
