package io.millrace.os;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;

/// A place in native memory for one `struct sockaddr` and its length, which calls read or fill.
///
/// Belongs to one thread and is reused: what it holds lasts until the next [#set] or the next call that fills
/// it. [#copy] is the compact form to keep (16 bytes for IPv4, 28 for IPv6); [SocketAddresses#decode] makes an
/// object of it on demand.
public final class SockAddr {
    static final int STORAGE_SIZE = 128;
    private static final int SOCKLEN = STORAGE_SIZE;

    private final MemorySegment memory = Arena.ofAuto().allocate(STORAGE_SIZE + Integer.BYTES, 8);

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
        put(SocketAddresses.encode(socketAddress, family));
    }

    /// Fills the place with an abstract Unix address: a name that no file has, of 1 to 107 bytes.
    ///
    /// @throws IOException when it is too long
    public void setAbstract(String name) throws IOException {
        put(SocketAddresses.encodeAbstract(name));
    }

    private void put(byte[] encoded) {
        MemorySegment.copy(encoded, 0, memory, JAVA_BYTE, 0, encoded.length);
        memory.set(JAVA_INT, SOCKLEN, encoded.length);
    }

    /// Fills the place with a Unix address without a path: bind(2) to it gives the socket a free abstract name.
    void setUnnamed() {
        memory.set(JAVA_SHORT, 0, (short) Constants.AF_UNIX);
        memory.set(JAVA_INT, SOCKLEN, Short.BYTES);
    }

    /// The bytes of the struct: `known` itself if it has the same bytes, so that equal addresses share one
    /// array.
    public byte[] copy(byte[] known) {
        return meaningful() == known.length && isSame(known) ? known : copy();
    }

    private boolean isSame(byte[] known) {
        for (int i = 0; i < known.length; i++) if (memory.get(JAVA_BYTE, i) != known[i]) return false;
        return true;
    }

    /// The bytes of the struct, as [SocketAddresses#decode] takes them.
    public byte[] copy() {
        return memory.asSlice(0, meaningful()).toArray(JAVA_BYTE);
    }

    /// How many bytes say something: each connection keeps them, and half of a `sockaddr_in` is padding.
    private int meaningful() {
        boolean isPadded = memory.get(JAVA_SHORT, 0) == Constants.AF_INET;
        return isPadded ? Math.min(length(), SocketAddresses.IN_USED) : length();
    }

    /// The address as Java knows it.
    public SocketAddress get() {
        return SocketAddresses.decode(copy());
    }

    /// How many bytes of the place are in use.
    int length() {
        return Math.min(memory.get(JAVA_INT, SOCKLEN), STORAGE_SIZE);
    }

    /// Makes the whole place available to a call that fills it.
    void clear() {
        memory.set(JAVA_SHORT, 0, (short) 0);
        memory.set(JAVA_INT, SOCKLEN, STORAGE_SIZE);
    }

    long address() {
        return memory.address();
    }

    /// Where the kernel finds the room and leaves the length.
    long lengthAddress() {
        return memory.address() + SOCKLEN;
    }
}
