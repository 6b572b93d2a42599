package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.OpenFrame;
import io.millrace.net.ProtocolError;

/// Frames that end with a delimiter; for lines, a carriage return in front of it belongs to the delimiter.
final class Delimited extends Framing {
    private final Bytes delimiter;
    private final boolean isLine;

    Delimited(Bytes delimiter, boolean isLine, int maxBytes) {
        super(maxBytes);
        if (delimiter.length() == 0) throw new IllegalArgumentException("an empty delimiter: give it 1 byte or more");
        this.delimiter = delimiter;
        this.isLine = isLine;
    }

    @Override
    long next(Input in, long scanned) throws ProtocolError {
        // The delimiter may begin in the bytes that were searched before.
        long at = in.indexOf(delimiter, Math.max(0, scanned - delimiter.length() + 1));
        if (at < 0) {
            if (in.remaining() >= maxFrameBytes()) throw tooLong(in.remaining() + " bytes without an end");
            return INCOMPLETE;
        }
        long frame = at + delimiter.length();
        long body = frame - trailerBytes(in, frame);
        if (body > maxBytes) throw tooLong("a message of " + body + " bytes");
        return frame;
    }

    @Override
    int headerBytes(Input in) {
        return 0;
    }

    @Override
    int trailerBytes(Input in, long frameBytes) {
        long end = frameBytes - delimiter.length();
        boolean hasReturn = isLine && end > 0 && in.peekByte(end - 1) == '\r';
        return hasReturn ? delimiter.length() + 1 : delimiter.length();
    }

    @Override
    long maxFrameBytes() {
        return (long) maxBytes + delimiter.length() + (isLine ? 1 : 0);
    }

    @Override
    int spareBytes() {
        return 0;
    }

    @Override
    void seal(OpenFrame frame, LoopOutput out) {
        long body = frame.size();
        checkSize(body);
        if (isLine && body > 0 && frame.get(body - 1) == '\r') {
            throw new IllegalArgumentException("a line of " + body + " bytes ends with a carriage return, which "
                    + "would be read as part of its line end: remove it, or use Framing.delimited");
        }
        for (int i = 0; i < delimiter.length(); i++) out.writeByte(delimiter.at(i));
        // Also finds a delimiter made of the message's end and the delimiter's beginning.
        long found = frame.indexOf(delimiter);
        if (found < body) {
            throw new IllegalArgumentException("a message of " + body + " bytes contains the delimiter " + delimiter
                    + " at " + found + ": escape it, or use Framing.lengthPrefixed");
        }
    }

    @Override
    public String toString() {
        return isLine ? "Framing.lines(" + maxBytes + ")" : "Framing.delimited(" + delimiter + ", " + maxBytes + ")";
    }
}
