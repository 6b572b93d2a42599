package io.millrace.lab.load;

/// Messages to an echo server, no two of which are alike.
///
/// @param sizeBytes   of a message
/// @param isVerifying whether each byte that comes back is compared
public record EchoMessages(int sizeBytes, boolean isVerifying) implements LoadMessages {
    /// @throws IllegalArgumentException with the size and what is allowed
    public EchoMessages {
        if (sizeBytes < 1 || sizeBytes > LoadSettings.MAX_SIZE_BYTES) {
            throw new IllegalArgumentException(sizeBytes + " bytes: take 1 to " + LoadSettings.MAX_SIZE_BYTES);
        }
    }
}
