package io.millrace.lab.load;

import io.millrace.bytes.Input;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// The text of messages to all: a [FanOutMark], and behind it the same letters in each. Used by one thread.
final class FanOutText {
    /// Behind a message that was compressed by itself, what ends a block (RFC 7692 section 7.2.2).
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};

    private static final int LETTERS = 16;
    private static final int MOST_MORE_BYTES = 1024;

    private final byte[] text;
    private final byte[] read;
    private final boolean isVerifying;

    // The last message that was compressed: the same bytes come on all connections.

    private final Inflater inflater = new Inflater(true);
    private byte[] packed = {};
    private int packedLength;
    private final byte[] unpacked;

    FanOutText(FanOutMessages messages) {
        isVerifying = messages.isVerifying();
        text = new byte[messages.sizeBytes()];
        var random = new SplittableRandom(text.length);
        for (int i = 0; i < text.length; i++) text[i] = (byte) ('a' + random.nextInt(LETTERS));
        unpacked = new byte[text.length + 1];
        read = new byte[text.length];
    }

    int sizeBytes() {
        return text.length;
    }

    /// More than that would not be the message.
    int mostPackedBytes() {
        return text.length + MOST_MORE_BYTES;
    }

    /// A frame with a message, as it is sent.
    byte[] frame(FanOutMark mark, int mask) {
        var head = WsFrames.head(text.length, mask);
        var frame = Arrays.copyOf(head, head.length + text.length);
        var message = text.clone();
        mark.write(message);
        for (int i = 0; i < message.length; i++)
            frame[head.length + i] = (byte) (message[i] ^ (mask >>> (24 - Byte.SIZE * (i % Integer.BYTES))));
        return frame;
    }

    /// Reads the next bytes of a message.
    ///
    /// @param from where in the message, behind the mark
    /// @throws BadAnswer when one is wrong
    void check(Input in, int from, int length) throws BadAnswer {
        if (!isVerifying) {
            in.skip(length);
            return;
        }
        in.read(read, 0, length);
        check(read, 0, from, length);
    }

    private void check(byte[] bytes, int offset, int from, int length) throws BadAnswer {
        int wrong = Arrays.mismatch(bytes, offset, offset + length, text, from, from + length);
        if (wrong >= 0) throw new BadAnswer("byte " + (from + wrong) + " of a message came wrong");
    }

    /// What a compressed message says, until the next call.
    ///
    /// @throws BadAnswer when it cannot be read, or has another length
    byte[] unpacked(byte[] from, int length) throws BadAnswer {
        if (packedLength == length && Arrays.equals(from, 0, length, packed, 0, length)) return unpacked;
        packedLength = 0;
        if (packed.length < length + TAIL.length) packed = new byte[2 * length + TAIL.length];
        System.arraycopy(from, 0, packed, 0, length);
        System.arraycopy(TAIL, 0, packed, length, TAIL.length);
        inflater.reset();
        inflater.setInput(packed, 0, length + TAIL.length);
        try {
            int count = inflater.inflate(unpacked);
            if (count != text.length) throw new BadAnswer("a message of " + text.length + " bytes came as " + count);
        } catch (DataFormatException e) {
            throw new BadAnswer("a compressed message cannot be read: " + e.getMessage());
        }
        if (isVerifying) check(unpacked, FanOutMark.BYTES, FanOutMark.BYTES, text.length - FanOutMark.BYTES);
        packedLength = length;
        return unpacked;
    }
}
