package io.millrace.proxy.announce;

import io.millrace.bytes.Bytes;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/// Headers to be sent.
public final class HeaderWriter {
    private HeaderWriter() {}

    /// For a connection that is somebody else's, in version 1.
    public static Bytes text(SocketAddress source, SocketAddress destination) {
        return Bytes.of(LineHeader.of(source, destination));
    }

    /// For a connection that is somebody else's, in version 2.
    public static Bytes binary(SocketAddress source, SocketAddress destination) {
        return Bytes.of(BinaryHeader.of(source, destination));
    }

    /// For a connection that is the sender's own. Version 1 has no word for it, and says that it does not know.
    public static Bytes ownText() {
        return Bytes.of("PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /// For a connection that is the sender's own, in version 2.
    public static Bytes ownBinary() {
        return Bytes.of(BinaryHeader.local());
    }
}
