package io.millrace.http.h2;

/// Keeps the memory of what waits on a connection, to be read or to be sent, near its bytes. It waits in slabs as it
/// came, and a few bytes may keep a large one: when that makes much, it moves to small ones.
///
/// ```
///   16 KiB of each of 64 streams, a slab of 64 KiB each: 4 MiB   ─ pack ─►   1 MiB
/// ```
/// A handler that reads at once, and a peer that takes at once, leave nothing here, and nothing is copied.
final class WaitingSlabs {
    /// What slabs may keep beyond the bytes in them.
    private static final long MOST_SLACK_BYTES = 64 << 10;

    /// Each may have a slab of its own.
    private static final int FEW_PARTS = 2;

    /// Parts of bodies that have begun to wait since slabs were looked at.
    private int parts;

    /// What slabs that are with other threads keep, which cannot be packed there.
    private long lentBytes;

    /// A part of a body begins to wait.
    void begins() {
        parts++;
    }

    /// Packs what waits on all streams, if that is worth it.
    void pack(StreamTable<?> streams) {
        if (parts < FEW_PARTS) return;
        parts = 0;
        if (lentBytes + streams.slackBytes() > MOST_SLACK_BYTES) streams.pack();
    }

    /// Whether something should be packed before it goes to another thread.
    boolean isMuch(long slackBytes) {
        return lentBytes + slackBytes > MOST_SLACK_BYTES;
    }

    /// Slabs go to another thread, or are back.
    void lent(long change) {
        lentBytes += change;
    }
}
