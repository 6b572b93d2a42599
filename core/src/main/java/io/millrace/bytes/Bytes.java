package io.millrace.bytes;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// An immutable sequence of bytes: a value. Any thread may keep it, share it and send it to ten thousand
/// connections; the garbage collector is its reference count.
///
/// From [#BY_REFERENCE] bytes up it lives outside the heap, and a connection that sends it refers to it instead of
/// copying it. A smaller one lives on the heap and is copied for each connection, which is cheaper for a value that
/// is sent once; but one of 1 KiB or more that is sent repeatedly is copied out of the heap once, and referred to
/// from then on.
public final class Bytes {
    /// The size in bytes from which a value is sent without being copied, unless memory outside the heap runs out.
    public static final int BY_REFERENCE = 32 << 10;

    /// From this size on, a value must not be copied for each connection.
    private static final int MUST_BE_SHARED = 1 << 20;

    /// After so many copies, a value is assumed to go to many connections.
    private static final int COPIES = 3;

    /// No bytes at all.
    public static final Bytes EMPTY = new Bytes(onHeap(0));

    private final MemorySegment memory;

    /// A copy outside the heap, made when it was sent to many. A thread that does not see it yet makes another one.
    private @Nullable MemorySegment shared;

    /// Roughly how often it was copied.
    private int copies;

    private Bytes(MemorySegment memory) {
        this.memory = memory;
    }

    /// The UTF-8 encoding of a text.
    public static Bytes utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /// A copy of the given bytes.
    public static Bytes of(byte... bytes) {
        return copyOf(MemorySegment.ofArray(bytes));
    }

    /// A copy of the given parts, one after the other.
    ///
    /// @throws IllegalArgumentException when together they are longer than [Integer#MAX_VALUE]
    public static Bytes copyOf(MemorySegment... parts) {
        long length = 0;
        for (var part : parts) length += part.byteSize();
        if (length == 0) return EMPTY;
        if (length > Integer.MAX_VALUE)
            throw new IllegalArgumentException(length + " bytes are too many for one " + "value");
        var outside = length < BY_REFERENCE ? null : NativeMemory.copyOf(length, limit(length), parts);
        return new Bytes(outside != null ? outside : onHeap(length, parts));
    }

    private static MemorySegment onHeap(long length, MemorySegment... parts) {
        return joined(MemorySegment.ofArray(new byte[(int) length]), parts);
    }

    /// Copies parts, one after the other, into memory that is not written to afterwards.
    static MemorySegment joined(MemorySegment to, MemorySegment... parts) {
        long at = 0;
        for (var part : parts) {
            MemorySegment.copy(part, 0, to, at, part.byteSize());
            at += part.byteSize();
        }
        return to.asReadOnly();
    }

    private static long limit(long length) {
        return length < MUST_BE_SHARED ? NativeMemory.USUAL_BYTES : NativeMemory.MOST_BYTES;
    }

    /// The bytes outside the heap, to refer to while they are sent; null when copying them is better.
    ///
    /// @param isTight whether there is little room for a copy
    @Nullable
    MemorySegment toShare(boolean isTight) {
        if (memory.isNative()) return memory;
        var known = shared;
        if (known != null) return known;
        boolean isForMany = isTight || length() >= MUST_BE_SHARED || ++copies > COPIES;
        if (!isForMany) return null;
        long limit = isTight ? NativeMemory.MOST_BYTES : limit(length());
        var made = NativeMemory.copyOf(length(), limit, memory);
        shared = made;
        return made;
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

    /// The bytes as a read-only segment, for code that works on memory; valid as long as it is reachable.
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
