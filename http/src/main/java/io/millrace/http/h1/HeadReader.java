package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.memory.LoopInput;
import java.util.Arrays;

/// Reads one head after the other from an input. Unread bytes are copied to an array, where parsing is faster,
/// and skipped in the input when the array is used up.
///
/// ```
///   input  │ head │ head │ head │ hea…        unread, until `close`
///   array  │ head │ head │ head │ hea│
///                        from        to
/// ```
///
/// @param <H> of requests or of responses
final class HeadReader<H extends MessageHead> {
    /// A little more than a head, so that one that is too long is noticed.
    static final int SPARE = 64;

    /// How much is copied first; a body may follow, which must not be.
    private static final int FEW = 4 << 10;

    /// The same for a call with one message only.
    private static final int FEWER = 1 << 10;

    private final H head;
    private final int mostBytes;

    /// The loop's array; empty elsewhere.
    private final byte[] shared;

    private byte[] bytes = new byte[0];
    private int from;
    private int to;

    /// Start and length of the head before this one in the array; length 0 if it is not there.
    private int last;

    private int lastLength;
    private boolean isPartial;

    HeadReader(H head, HttpLimits limits, byte[] shared) {
        this.head = head;
        this.mostBytes = limits.headBytes() + SPARE;
        this.shared = shared;
    }

    /// The required length of a loop's array.
    static int sharedBytes(HttpLimits limits) {
        return Math.max(limits.headBytes() + SPARE, FEW);
    }

    /// The input is lent from now on.
    ///
    /// @param forMany whether several messages are expected in this call
    void open(LoopInput in, boolean forMany) {
        // An unfinished head goes on where it was left, however long it is.
        if (isPartial) look(in, mostBytes);
        else look(in, forMany ? FEW : FEWER);
    }

    private void look(LoopInput in, int most) {
        int length = (int) Math.min(in.remaining(), most);
        bytes = shared.length > 0 ? shared : new byte[length];
        in.peek(0, bytes, 0, length);
        from = 0;
        to = length;
        lastLength = 0;
    }

    /// Looks for the next head.
    ///
    /// @return false when more must arrive
    boolean next(LoopInput in) throws Refusal {
        while (true) {
            int length = from == to ? FieldLines.INCOMPLETE : parse();
            if (length != FieldLines.INCOMPLETE) {
                last = from;
                lastLength = length;
                from += length;
                isPartial = false;
                return true;
            }
            int looked = to - from;
            close(in);
            isPartial = in.remaining() > 0;
            if (in.remaining() == looked) return false;
            look(in, mostBytes);
        }
    }

    /// A peer that pipelines often sends the same request again: equal bytes need not be parsed again.
    private int parse() throws Refusal {
        boolean isSame = lastLength > 0
                && to - from >= lastLength
                && Arrays.equals(bytes, last, last + lastLength, bytes, from, from + lastLength);
        if (!isSame) return head.parse(bytes, from, to);
        head.again(from);
        return lastLength;
    }

    /// The first line of the bytes, however it ends, for logs.
    ///
    /// @param isFound whether it is the line of the last head found, and not of the one after it
    String firstLine(boolean isFound, int mostCharacters) {
        int begin = isFound ? last : from;
        while (begin < to && (bytes[begin] == '\r' || bytes[begin] == '\n')) begin++;
        int end = begin;
        while (end < to && end - begin < mostCharacters && bytes[end] != '\r' && bytes[end] != '\n') end++;
        return Syntax.latin1(bytes, begin, end - begin);
    }

    /// Skips what was found: the input is read elsewhere for now.
    void close(LoopInput in) {
        // Nothing is left if the connection was dropped meanwhile.
        in.skip(Math.min(from, in.remaining()));
        from = 0;
        to = 0;
    }

    /// The head that was found.
    H head() {
        return head;
    }

    /// The head is no longer needed.
    void done() {
        head.done();
        isPartial = false;
    }

    /// Whether the input ended with an unfinished head.
    boolean isPartial() {
        return isPartial;
    }
}
