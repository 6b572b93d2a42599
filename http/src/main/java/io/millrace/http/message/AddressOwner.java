package io.millrace.http.message;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/// The owner of an address, as a number: limits per client count all addresses of one owner together.
public final class AddressOwner {
    private static final int V6_BYTES = 16;

    private AddressOwner() {}

    /// For IPv4 the address; for IPv6 its /64 network, because a host usually has all of its addresses.
    public static long of(InetAddress address) {
        var bytes = address.getAddress();
        var first = ByteBuffer.wrap(bytes);
        return bytes.length == V6_BYTES ? first.getLong() : first.getInt() & 0xffffffffL;
    }
}
