package io.millrace.bytes;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// An immutable sequence of bytes: a value. Any thread may keep it, share it and send it to ten thousand
/// connections; the garbage collector is its reference count.
///
/// From [#BY_REFERENCE] bytes up it lives outside the heap, and a connection refers to it while it is being sent
/// instead of copying it; a smaller one is copied, which is cheaper than one more entry in a gathering write.
public final class Bytes {
    /// The size in bytes from which a value is sent without being copied.
    public static final int BY_REFERENCE = 1024;

    /// No bytes at all.
    public static final Bytes EMPTY = new Bytes(MemorySegment.ofArray(new byte[0]));

    private final MemorySegment memory;

    private Bytes(MemorySegment memory) {
        this.memory = memory.asReadOnly();
    }

    /// The UTF-8 encoding of a text.
    public static Bytes utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /// A copy of the given bytes.
    public static Bytes of(byte... bytes) {
        return copyOf(MemorySegment.ofArray(bytes));
    }

    /// A copy of the given parts, one behind the other.
    ///
    /// @throws IllegalArgumentException when together they are longer than [Integer#MAX_VALUE]
    public static Bytes copyOf(MemorySegment... parts) {
        long length = 0;
        for (var part : parts) length += part.byteSize();
        if (length == 0) return EMPTY;
        if (length > Integer.MAX_VALUE) throw new IllegalArgumentException(length + " bytes do not fit one value");
        var memory = length < BY_REFERENCE
                ? MemorySegment.ofArray(new byte[(int) length])
                : Arena.ofAuto().allocate(length);
        long at = 0;
        for (var part : parts) {
            MemorySegment.copy(part, 0, memory, at, part.byteSize());
            at += part.byteSize();
        }
        return new Bytes(memory);
    }

    /// How many bytes there are.
    public int length() {
        return (int) memory.byteSize();
    }

    /// The byte at an index from 0.
    ///
    /// @throws IndexOutOfBoundsException when there is no such byte
    public byte at(int index) {
        return memory.get(JAVA_BYTE, index);
    }

    /// The bytes read as UTF-8; what is not UTF-8 becomes U+FFFD.
    public String utf8() {
        return new String(toArray(), StandardCharsets.UTF_8);
    }

    /// A copy in an array of the caller's own.
    public byte[] toArray() {
        return memory.toArray(JAVA_BYTE);
    }

    /// The bytes as a read-only segment, for code that works on memory; valid as long as somebody refers to it.
    public MemorySegment segment() {
        return memory;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && memory.mismatch(that.memory) == -1;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length(); i++) hash = 31 * hash + at(i);
        return hash;
    }

    /// Length and, for a short value, its bytes in hexadecimal.
    @Override
    public String toString() {
        var shown = java.util.HexFormat.of().formatHex(toArray(), 0, Math.min(length(), 16));
        return length() + " bytes [" + shown + (length() > 16 ? "…" : "") + "]";
    }
}
