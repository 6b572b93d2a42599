package io.millrace.http.h2;

import org.jspecify.annotations.Nullable;

/// The streams with bytes to send, the most urgent ones first (RFC 9218 section 10). Those of one urgency take turns
/// of a frame if parts of them are of use; others are sent one after the other.
@SuppressWarnings("ReferenceEquality") // the streams themselves
final class SendOrder {
    private static final int LEVELS = Priority.LEAST_URGENCY + 1;

    private static final Http2Stream[] NOBODY = {};

    /// The last one of each level, from which [Http2Stream#next] leads to the first: a ring. Made on first use.
    private @Nullable Http2Stream[] last = NOBODY;

    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /// Adds a stream behind the others, unless it is here.
    void add(Http2Stream stream) {
        if (stream.next != null) return;
        if (last.length == 0) last = new Http2Stream[LEVELS];
        int level = stream.urgency();
        var end = last[level];
        if (end == null) {
            stream.next = stream;
        } else {
            stream.next = end.next;
            end.next = stream;
        }
        last[level] = stream;
        count++;
    }

    /// The one whose turn it is, which stays first.
    @Nullable
    Http2Stream first() {
        if (count == 0) return null;
        for (var end : last) if (end != null) return end.next;
        return null;
    }

    /// The first one has had its turn.
    void turn(Http2Stream first) {
        if (!first.isIncremental()) return;
        for (int level = 0; level < LEVELS; level++) {
            var end = last[level];
            if (end != null && end.next == first) {
                last[level] = first;
                return;
            }
        }
    }

    /// Takes a stream out, wherever it is.
    void remove(Http2Stream stream) {
        if (stream.next == null) return;
        for (int level = 0; level < LEVELS; level++) if (removeFrom(level, stream)) return;
    }

    private boolean removeFrom(int level, Http2Stream stream) {
        var end = last[level];
        if (end == null) return false;
        var before = end;
        do {
            var at = before.next;
            if (at == null) return false;
            if (at == stream) {
                last[level] = at == before ? null : end == at ? before : end;
                before.next = at.next;
                stream.next = null;
                count--;
                return true;
            }
            before = at;
        } while (before != end);
        return false;
    }
}
