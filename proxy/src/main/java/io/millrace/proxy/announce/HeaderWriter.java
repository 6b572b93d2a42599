package io.millrace.proxy.announce;

import io.millrace.bytes.Bytes;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/// Makes headers to send.
public final class HeaderWriter {
    private HeaderWriter() {}

    /// For a client's connection, in version 1.
    public static Bytes text(SocketAddress source, SocketAddress destination) {
        return Bytes.of(LineHeader.of(source, destination));
    }

    /// For a client's connection, in version 2.
    public static Bytes binary(SocketAddress source, SocketAddress destination) {
        return Bytes.of(BinaryHeader.of(source, destination));
    }

    /// For a connection of the sender's own. Version 1 has no word for that, and says `UNKNOWN`.
    public static Bytes ownText() {
        return Bytes.of("PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /// For a connection of the sender's own, in version 2.
    public static Bytes ownBinary() {
        return Bytes.of(BinaryHeader.local());
    }
}
