package io.millrace.proxy.announce;

import io.millrace.bytes.Bytes;
import io.millrace.proxy.ProxyProtocol.Version;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/// Headers to be sent.
public final class HeaderWriter {
    private HeaderWriter() {}

    /// For a connection that is somebody else's.
    public static Bytes header(Version version, SocketAddress source, SocketAddress destination) {
        return Bytes.of(
                switch (version) {
                    case V1 -> LineHeader.of(source, destination);
                    case V2 -> BinaryHeader.of(source, destination);
                });
    }

    /// For a connection that is the sender's own. Version 1 has no word for it, and says that it does not know.
    public static Bytes own(Version version) {
        return Bytes.of(
                switch (version) {
                    case V1 -> "PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII);
                    case V2 -> BinaryHeader.local();
                });
    }
}
