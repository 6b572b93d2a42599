package io.millrace.lab.load;

/// Messages of text over WebSockets to a server that sends each to all of them, the sender's too. Some of the
/// connections send. A message carries the time at which it started, and each that arrives is measured.
///
/// @param sizeBytes of a message
/// @param senders how many of the connections send
/// @param slowOneIn of so many connections one reads hardly anything, and is not waited for; 0 for none
/// @param isVerifying whether each byte is compared
public record FanOutMessages(WsHandshake handshake, int sizeBytes, int senders, int slowOneIn, boolean isVerifying)
        implements LoadMessages {
    /// The most senders that a message can tell apart.
    public static final int MOST_SENDERS = 1000;

    /// The longest message.
    public static final int MAX_SIZE_BYTES = 1 << 20;

    /// Checks what was given.
    ///
    /// @throws IllegalArgumentException with a sentence
    public FanOutMessages {
        if (sizeBytes < FanOutMark.BYTES || sizeBytes > MAX_SIZE_BYTES)
            throw new IllegalArgumentException(sizeBytes + " bytes: a message to all carries who sent it when, and has "
                    + FanOutMark.BYTES + " to " + MAX_SIZE_BYTES);
        if (senders < 1 || senders > MOST_SENDERS)
            throw new IllegalArgumentException(senders + " senders: take 1 to " + MOST_SENDERS);
        if (slowOneIn < 0 || slowOneIn == 1)
            throw new IllegalArgumentException("one of " + slowOneIn + " slow: take 2 or more, or 0 for none");
    }

    /// @param connection its number, from 0
    boolean isSlow(int connection) {
        return slowOneIn > 0 && connection % slowOneIn == slowOneIn - 1;
    }
}
