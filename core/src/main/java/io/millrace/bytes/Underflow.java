package io.millrace.bytes;

/// More was read from an [Input] than it has. Unchecked, because a decoder reads a frame that its framing found
/// complete: inside a codec this becomes a protocol error of the peer, elsewhere it is the handler's mistake.
public final class Underflow extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Underflow(String message) {
        super(message);
    }
}
