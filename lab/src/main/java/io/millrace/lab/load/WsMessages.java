package io.millrace.lab.load;

/// Messages of text over WebSockets to a server that sends each back, no two of which are alike.
///
/// @param sizeBytes of a message
public record WsMessages(WsHandshake handshake, int sizeBytes) implements LoadMessages {
    /// Checks what was given.
    ///
    /// @throws IllegalArgumentException with a sentence, for a size that is not allowed, and for compression:
    ///     bytes are compared as they arrive
    public WsMessages {
        if (sizeBytes < 1 || sizeBytes > LoadSettings.MAX_SIZE_BYTES)
            throw new IllegalArgumentException(sizeBytes + " bytes: take 1 to " + LoadSettings.MAX_SIZE_BYTES);
        if (handshake.isPacked())
            throw new IllegalArgumentException("messages that come back are not compressed: leave --deflate out");
    }
}
