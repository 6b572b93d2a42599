package io.millrace.http.h2;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection's streams by their numbers; made when it is needed.
final class StreamTable<S extends Http2Stream> {
    private static final int FEW = 8;

    private static final @Nullable Http2Stream[] NO_STREAMS = {};

    private @Nullable Http2Stream[] streams = NO_STREAMS;
    private int count;

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

    /// What the slabs of all keep beyond the bytes in them.
    long slackBytes() {
        long slack = 0;
        for (var stream : streams) if (stream != null) slack += stream.slackBytes();
        return slack;
    }

    /// Moves what waits on all to slabs that it fills.
    void pack() {
        for (var stream : streams) if (stream != null) stream.pack();
    }
}
