package io.millrace.codec;

import io.millrace.bytes.Input;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.OpenFrame;

/// Frames of a fixed length, which are all body.
final class FixedLength extends Framing {
    FixedLength(int lengthBytes) {
        super(lengthBytes);
    }

    @Override
    long next(Input in, long scanned) {
        return in.remaining() < maxBytes ? INCOMPLETE : maxBytes;
    }

    @Override
    int headerBytes(Input in) {
        return 0;
    }

    @Override
    int trailerBytes(Input in, long frameBytes) {
        return 0;
    }

    @Override
    long maxFrameBytes() {
        return maxBytes;
    }

    @Override
    int spareBytes() {
        return 0;
    }

    @Override
    void seal(OpenFrame frame, LoopOutput out) {
        if (frame.size() != maxBytes) {
            throw new IllegalArgumentException(
                    "a message of " + frame.size() + " bytes: " + this + " sends messages of exactly that length");
        }
    }

    @Override
    public String toString() {
        return "Framing.fixed(" + maxBytes + ")";
    }
}
