package io.millrace.lab.load;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// The front of a message to all: when it started, who sent it, and which of the sender's it is, in hexadecimal
/// digits, because it is text.
///
/// ```
///   16 digits  nanoseconds of the load's clock
///    4 digits  the sender
///    8 digits  the message's number, from 0
/// ```
///
/// @param startedNanos by the load's clock
record FanOutMark(long startedNanos, int sender, long number) {
    /// The sender of messages that only show who is there.
    static final int PROBE = 0xffff;

    /// How long it is.
    static final int BYTES = 28;

    private static final int SENDER_AT = 16;
    private static final int NUMBER_AT = 20;

    /// Writes it to the front of a message.
    void write(byte[] to) {
        var text = String.format(Locale.ROOT, "%016x%04x%08x", startedNanos, sender, number);
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, to, 0, BYTES);
    }

    // Reading, for each message that arrives, without an object.

    static long startedNanos(byte[] from) {
        return digits(from, 0, SENDER_AT);
    }

    static int sender(byte[] from) {
        return (int) digits(from, SENDER_AT, NUMBER_AT);
    }

    static long number(byte[] from) {
        return digits(from, NUMBER_AT, BYTES);
    }

    /// What is no digit makes another number, which nobody sent.
    private static long digits(byte[] from, int start, int end) {
        long value = 0;
        for (int at = start; at < end; at++) {
            int letter = from[at] & 0x40;
            value = value << 4 | (from[at] & 0xf) + (letter == 0 ? 0 : 9);
        }
        return value;
    }
}
