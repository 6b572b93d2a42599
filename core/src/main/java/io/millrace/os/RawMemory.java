package io.millrace.os;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/// All of the process's memory by absolute address, in native byte order, at the cost of a plain load or store.
///
/// Nothing is checked: a wrong address crashes the JVM. Only this package and the transports may use it, on
/// memory that they keep reachable themselves.
public final class RawMemory {
    /// Every address there is. Offsets into it are absolute addresses.
    @SuppressWarnings("restricted")
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final VarHandle INT = JAVA_INT.varHandle();
    private static final VarHandle SHORT = JAVA_SHORT.varHandle();

    private RawMemory() {}

    public static short getShort(long address) {
        return ALL.get(JAVA_SHORT_UNALIGNED, address);
    }

    public static int getInt(long address) {
        return ALL.get(JAVA_INT_UNALIGNED, address);
    }

    public static long getLong(long address) {
        return ALL.get(JAVA_LONG_UNALIGNED, address);
    }

    public static void putShort(long address, short value) {
        ALL.set(JAVA_SHORT_UNALIGNED, address, value);
    }

    public static void putInt(long address, int value) {
        ALL.set(JAVA_INT_UNALIGNED, address, value);
    }

    public static void putLong(long address, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, address, value);
    }

    /// What another side wrote before it released the int at `address`, a multiple of four, is seen after this.
    public static int getIntAcquire(long address) {
        return (int) INT.getAcquire(ALL, address);
    }

    /// The other side sees the new value after all that was written before.
    public static void putIntRelease(long address, int value) {
        INT.setRelease(ALL, address, value);
    }

    public static void putShortRelease(long address, short value) {
        SHORT.setRelease(ALL, address, value);
    }

    /// Copies out `lengthBytes` bytes from `address`.
    public static byte[] getBytes(long address, int lengthBytes) {
        var bytes = new byte[lengthBytes];
        MemorySegment.copy(ALL, JAVA_BYTE, address, bytes, 0, lengthBytes);
        return bytes;
    }

    /// Copies all of `bytes` to `address`.
    public static void putBytes(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, address, bytes.length);
    }
}
