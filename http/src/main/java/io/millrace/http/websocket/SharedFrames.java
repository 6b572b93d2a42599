package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.ws.MessageDeflater;
import io.millrace.http.ws.WsLimits;
import io.millrace.http.ws.WsWriter;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Frames that the sockets of a group share: packed once for those that have agreed on packing and keep no
/// window, and as they are for all others.
final class SharedFrames {
    private SharedFrames() {}

    /// Frames of text.
    ///
    /// @param packing the limits of those that pack
    record OfText(Optional<WsLimits> packing) implements Encoding<String> {
        @Override
        public Bytes frame(EventLoop lender, String message) {
            return WsWriter.encode(true, Bytes.utf8(message), deflater(packing));
        }
    }

    /// Frames of bytes.
    ///
    /// @param packing the limits of those that pack
    record OfBytes(Optional<WsLimits> packing) implements Encoding<Bytes> {
        @Override
        public Bytes frame(EventLoop lender, Bytes message) {
            return WsWriter.encode(false, message, deflater(packing));
        }
    }

    private static @Nullable MessageDeflater deflater(Optional<WsLimits> packing) {
        return packing.map(MessageDeflater::ofShared).orElse(null);
    }
}
