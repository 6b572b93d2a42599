package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.memory.LoopInput;
import java.util.Arrays;

/// Finds one head after the other in an input. What is unread is looked at in an array, which is faster than
/// where it is, and skipped there when the array has been gone through.
///
/// ```
///   input  │ head │ head │ head │ hea…        unread, until `close`
///   array  │ head │ head │ head │ hea│
///                        from        to
/// ```
///
/// @param <H> of requests or of responses
final class HeadReader<H extends MessageHead> {
    /// A little more than a head, so that one that is too long shows.
    static final int SPARE = 64;

    /// What is looked at first; a body may follow, which is none of it.
    private static final int FEW = 4 << 10;

    /// The same for a call that is about one message only.
    private static final int FEWER = 1 << 10;

    private final H head;
    private final int mostBytes;

    /// Of the loop; empty elsewhere.
    private final byte[] shared;

    private byte[] bytes = new byte[0];
    private int from;
    private int to;

    /// Where the head before this one is in the array, and how long; 0 if it is not there.
    private int last;

    private int lastLength;
    private boolean isPartial;

    HeadReader(H head, HttpLimits limits, byte[] shared) {
        this.head = head;
        this.mostBytes = limits.headBytes() + SPARE;
        this.shared = shared;
    }

    /// How large an array of a loop has to be.
    static int sharedBytes(HttpLimits limits) {
        return Math.max(limits.headBytes() + SPARE, FEW);
    }

    /// The input is lent.
    ///
    /// @param forMany whether the call is about more than one message
    void open(LoopInput in, boolean forMany) {
        // The beginning of a head goes on where it was left, wherever that is.
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
    /// @return false when more has to arrive
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

    /// Whoever sends requests ahead often sends the same one: what was found in its bytes is in these, too.
    private int parse() throws Refusal {
        boolean isSame = lastLength > 0
                && to - from >= lastLength
                && Arrays.equals(bytes, last, last + lastLength, bytes, from, from + lastLength);
        if (!isSame) return head.parse(bytes, from, to);
        head.again(from);
        return lastLength;
    }

    /// The first line of what is looked at, however it ends, for a log.
    ///
    /// @param isFound whether it is the head that was found last, and not the one behind it
    String firstLine(boolean isFound, int mostCharacters) {
        int begin = isFound ? last : from;
        while (begin < to && (bytes[begin] == '\r' || bytes[begin] == '\n')) begin++;
        int end = begin;
        while (end < to && end - begin < mostCharacters && bytes[end] != '\r' && bytes[end] != '\n') end++;
        return Syntax.latin1(bytes, begin, end - begin);
    }

    /// Skips what was found: the input is somebody else's for now.
    void close(LoopInput in) {
        // Nothing is left when the connection was dropped meanwhile.
        in.skip(Math.min(from, in.remaining()));
        from = 0;
        to = 0;
    }

    /// What was found.
    H head() {
        return head;
    }

    /// It is not needed any more: the next one is another.
    void done() {
        head.done();
        isPartial = false;
    }

    /// Whether the beginning of a head was all that there was.
    boolean isPartial() {
        return isPartial;
    }
}
