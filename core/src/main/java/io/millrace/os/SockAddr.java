package io.millrace.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.SocketAddress;

/// A place in native memory for one `struct sockaddr` and its length, which calls read or fill.
///
/// Belongs to one thread and is reused: what it holds lasts until the next [#set] or the next call that fills it.
/// [#copy] is the compact form to keep (16 bytes for IPv4, 28 for IPv6); [SocketAddresses#decode] makes the
/// object of it when somebody asks.
public final class SockAddr {
    static final int STORAGE_SIZE = 128;
    private static final int SOCKLEN = STORAGE_SIZE;

    private final MemorySegment memory = Arena.ofAuto().allocate(STORAGE_SIZE + Integer.BYTES, 8);
    private final long address = memory.address();

    /// Fills the place with `socketAddress`, in its own family.
    ///
    /// @throws IOException see [SocketAddresses#encode]
    public void set(SocketAddress socketAddress) throws IOException {
        set(socketAddress, SocketAddresses.family(socketAddress));
    }

    /// Fills the place with `socketAddress` for a socket of `family`.
    ///
    /// @throws IOException see [SocketAddresses#encode]
    public void set(SocketAddress socketAddress, int family) throws IOException {
        byte[] encoded = SocketAddresses.encode(socketAddress, family);
        RawMemory.putBytes(address, encoded);
        RawMemory.putInt(address + SOCKLEN, encoded.length);
    }

    /// Fills the place with a Unix address without a path: bind(2) to it gives the socket a free abstract name.
    void setUnnamed() {
        RawMemory.putShort(address, (short) Constants.AF_UNIX);
        RawMemory.putInt(address + SOCKLEN, Short.BYTES);
    }

    /// The bytes of the struct, as [SocketAddresses#decode] takes them.
    public byte[] copy() {
        return RawMemory.getBytes(address, length());
    }

    /// The address as Java knows it.
    public SocketAddress get() {
        return SocketAddresses.decode(copy());
    }

    /// How many bytes of the place are in use.
    int length() {
        return Math.min(RawMemory.getInt(address + SOCKLEN), STORAGE_SIZE);
    }

    /// Makes the whole place available to a call that fills it.
    void clear() {
        RawMemory.putShort(address, (short) 0);
        RawMemory.putInt(address + SOCKLEN, STORAGE_SIZE);
    }

    long address() {
        return address;
    }

    /// Where the kernel finds the room and leaves the length.
    long lengthAddress() {
        return address + SOCKLEN;
    }

    /// Called after the kernel has used [#address]: until then the collector must not think the memory unused.
    void keepReachable() {
        Reference.reachabilityFence(memory);
    }
}
