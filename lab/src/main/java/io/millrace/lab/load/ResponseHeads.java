package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.h1.FieldLines;
import io.millrace.http.h1.StatusHead;
import java.util.Arrays;

/// Finds heads of responses, for all connections of a loop. Nearly all are the same bytes as the one before,
/// until the second of their date is over: those are recognised, and not parsed again.
final class ResponseHeads {
    /// What a server may send.
    static final HttpLimits LIMITS = HttpLimits.standard();

    private final StatusHead parser = new StatusHead(LIMITS);

    /// A little more than a head, so that one that is too long shows.
    private final byte[] bytes = new byte[LIMITS.headBytes() + 1];

    /// The last one, and what it says.
    private final byte[] known = new byte[bytes.length];

    private int knownLength;
    private int status;
    private long contentLength;
    private boolean keepsAlive;
    private boolean mayHaveBody;

    /// Looks for a head at the front of the input, and leaves it there.
    ///
    /// @return how long it is, or [FieldLines#INCOMPLETE]
    /// @throws Refusal when it is none
    int find(Input in) throws Refusal {
        if (knownLength > 0 && in.remaining() >= knownLength && isKnown(in)) return knownLength;
        int there = (int) Math.min(in.remaining(), bytes.length);
        in.peek(0, bytes, 0, there);
        parser.reset();
        int length = parser.parse(bytes, 0, there);
        if (length != FieldLines.INCOMPLETE) remember(length);
        return length;
    }

    private boolean isKnown(Input in) {
        in.peek(0, bytes, 0, knownLength);
        return Arrays.equals(bytes, 0, knownLength, known, 0, knownLength);
    }

    private void remember(int length) {
        System.arraycopy(bytes, 0, known, 0, length);
        knownLength = length;
        status = parser.status();
        contentLength = parser.contentLength();
        keepsAlive = parser.keepsAlive();
        mayHaveBody = parser.mayHaveBody();
    }

    // What the head that was found says.

    int status() {
        return status;
    }

    /// As [StatusHead#contentLength].
    long contentLength() {
        return contentLength;
    }

    boolean keepsAlive() {
        return keepsAlive;
    }

    boolean mayHaveBody() {
        return mayHaveBody;
    }
}
