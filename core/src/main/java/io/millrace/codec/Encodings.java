package io.millrace.codec;

import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import java.util.concurrent.CopyOnWriteArrayList;

/// The encodings that members of a group have now: what is sent is encoded for each of them, by the thread that
/// sends.
final class Encodings<M> {
    /// Any thread reads; guarded by the group for changes.
    private final CopyOnWriteArrayList<Use<M>> uses = new CopyOnWriteArrayList<>();

    /// An encoding, and how many members have it, which the group guards.
    private static final class Use<M> {
        final Encoding<M> encoding;
        final EventLoop lender;
        int members;

        Use(Encoding<M> encoding, EventLoop lender) {
            this.encoding = encoding;
            this.lender = lender;
        }
    }

    /// Makes the frames of a letter; any thread.
    ///
    /// @throws IllegalArgumentException when it cannot be sent to a member
    void encode(Letter<M> letter) {
        for (var use : uses) {
            var _ = letter.frame(use.encoding, use.lender);
        }
    }

    // Guarded by the group.

    void add(Seat<M> seat) {
        use(seat).members++;
    }

    private Use<M> use(Seat<M> seat) {
        for (var use : uses) {
            if (use.encoding.equals(seat.encoding)) return use;
        }
        var made = new Use<>(seat.encoding, seat.place.loop());
        uses.add(made);
        return made;
    }

    /// One member fewer has it.
    ///
    /// @return whether nobody has it any more
    boolean remove(Seat<M> seat) {
        var use = use(seat);
        if (--use.members > 0) return false;
        uses.remove(use);
        return true;
    }
}
