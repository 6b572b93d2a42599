package io.millrace.http.message;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/// Whose an address is, as a number: where clients are counted, all addresses of one owner count together.
public final class AddressOwner {
    private static final int V6_BYTES = 16;

    private AddressOwner() {}

    /// With IPv4 the address; with IPv6 its network of 64 bits, of which whoever has one address has all.
    public static long of(InetAddress address) {
        var bytes = address.getAddress();
        var first = ByteBuffer.wrap(bytes);
        return bytes.length == V6_BYTES ? first.getLong() : first.getInt() & 0xffffffffL;
    }
}
