package io.millrace.proxy.announce;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/// IP addresses as bytes.
final class Ip {
    private Ip() {}

    /// The address with these bytes.
    ///
    /// @param bytes 4 or 16; an IPv4-mapped address becomes an IPv4 address
    static InetAddress of(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(bytes.length + " bytes are not an address", e);
        }
    }

    static boolean isKnown(SocketAddress address) {
        return address instanceof InetSocketAddress at && !at.isUnresolved();
    }

    /// The 16 bytes of an IPv6 address, or of an IPv4 address mapped to IPv6 (RFC 4291 section 2.5.5.2).
    static byte[] sixteen(byte[] bytes) {
        if (bytes.length == 16) return bytes;
        var mapped = new byte[16];
        Arrays.fill(mapped, 10, 12, (byte) 0xff);
        System.arraycopy(bytes, 0, mapped, 12, 4);
        return mapped;
    }
}
