package io.millrace.http.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection's streams by their numbers, and which ones we have reset lately; made when it is needed.
final class StreamTable<S extends Http2Stream> {
    private static final int FEW = 8;

    /// Streams that we have reset: what the peer had sent before it knew is dropped without a word.
    private static final int MOST_RESET = ClientSideConnection.MOST_STREAMS;

    private static final int[] NONE = {};

    private @Nullable Http2Stream[] streams = new Http2Stream[0];
    private int count;
    private int[] reset = NONE;
    private int resets;

    int count() {
        return count;
    }

    @SuppressWarnings("unchecked") // only put adds any
    @Nullable
    S get(int id) {
        if (count == 0) return null;
        int mask = streams.length - 1;
        for (int at = place(id, mask); ; at = (at + 1) & mask) {
            var found = streams[at];
            if (found == null) return null;
            if (found.id == id) return (S) found;
        }
    }

    private static int place(int id, int mask) {
        // A peer's numbers are all odd, or all even.
        return (id >>> 1) & mask;
    }

    void put(S stream) {
        if (2 * (count + 1) > streams.length) grow();
        int mask = streams.length - 1;
        int at = place(stream.id, mask);
        while (streams[at] != null) at = (at + 1) & mask;
        streams[at] = stream;
        count++;
    }

    private void grow() {
        var old = streams;
        streams = new Http2Stream[Math.max(FEW, 2 * old.length)];
        int mask = streams.length - 1;
        for (var stream : old) {
            if (stream == null) continue;
            int at = place(stream.id, mask);
            while (streams[at] != null) at = (at + 1) & mask;
            streams[at] = stream;
        }
    }

    void remove(int id) {
        int mask = streams.length - 1;
        int at = place(id, mask);
        for (var found = streams[at]; found != null; at = (at + 1) & mask, found = streams[at]) {
            if (found.id != id) continue;
            streams[at] = null;
            count--;
            closeGap(at, mask);
            return;
        }
    }

    /// Streams behind a gap must still be found.
    private void closeGap(int gap, int mask) {
        int at = (gap + 1) & mask;
        for (var next = streams[at]; next != null; at = (at + 1) & mask, next = streams[at]) {
            int wanted = place(next.id, mask);
            boolean mayStay = gap <= at ? gap < wanted && wanted <= at : gap < wanted || wanted <= at;
            if (mayStay) continue;
            streams[gap] = next;
            streams[at] = null;
            gap = at;
        }
    }

    /// A copy, to go through while streams are removed.
    @SuppressWarnings("unchecked") // only put adds any
    List<S> all() {
        var all = new ArrayList<S>(count);
        for (var stream : streams) if (stream != null) all.add((S) stream);
        return all;
    }

    /// We have reset this one.
    void wasReset(int id) {
        if (reset.length == 0) reset = new int[FEW];
        if (resets == reset.length && resets < MOST_RESET) reset = Arrays.copyOf(reset, 2 * resets);
        reset[resets++ % reset.length] = id;
    }

    /// Whether we have reset it lately.
    boolean isReset(int id) {
        for (int known : reset) if (known == id) return true;
        return false;
    }
}
