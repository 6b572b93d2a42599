package io.millrace.loop;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.stream.Stream;

/// The groups that one recipient is in, or is about to be in. What a thread sends to the recipient itself must
/// stay behind what the same thread has sent to its groups, and goes through the loop's queue meanwhile.
public final class Memberships {
    /// A group's members on one loop.
    public interface Part {
        /// Whether something is on its way to the members. Any thread.
        boolean isBusy();

        /// A member has closed. On the loop.
        void closed(Memberships member);
    }

    private static final AtomicReferenceFieldUpdater<Memberships, Object> PARTS =
            AtomicReferenceFieldUpdater.newUpdater(Memberships.class, Object.class, "parts");
    private static final AtomicLongFieldUpdater<Memberships> FOLLOWING =
            AtomicLongFieldUpdater.newUpdater(Memberships.class, "followingBytes");

    /// A list of parts.
    private volatile Object parts = List.of();

    private volatile long followingBytes;

    // Any thread.

    @SuppressWarnings("unchecked") // as it was put there
    private List<Part> parts() {
        return (List<Part>) parts;
    }

    /// Whether something is on its way to one of the groups. Read in this order: a group that has finished has
    /// passed it to the recipient.
    public boolean isBusy() {
        var in = parts();
        for (int i = 0; i < in.size(); i++) {
            if (in.get(i).isBusy()) return true;
        }
        return false;
    }

    public void enter(Part part) {
        while (true) {
            var in = parts();
            if (in.contains(part)) return;
            var more = Stream.concat(in.stream(), Stream.of(part)).toList();
            if (PARTS.compareAndSet(this, in, more)) return;
        }
    }

    public void exit(Part part) {
        while (true) {
            var in = parts();
            var fewer = in.stream().filter(other -> !other.equals(part)).toList();
            if (PARTS.compareAndSet(this, in, fewer)) return;
        }
    }

    /// Whether what the recipient itself sends has to take [#follow].
    public boolean mustFollow() {
        return followingBytes > 0 || isBusy();
    }

    /// Sends something of the recipient's own behind what is on its way.
    ///
    /// @param weight in bytes, counted until it is sent; at least 1
    /// @return false when the loop is gone
    public boolean follow(EventLoop loop, long weight, Runnable send) {
        FOLLOWING.addAndGet(this, weight);
        boolean isTaken = loop.returned(() -> {
            try {
                send.run();
            } finally {
                FOLLOWING.addAndGet(this, -weight);
            }
        });
        if (!isTaken) FOLLOWING.addAndGet(this, -weight);
        return isTaken;
    }

    /// What is on its way by [#follow].
    public long followingBytes() {
        return followingBytes;
    }

    /// The recipient has closed: it leaves its groups. Any thread.
    public void hasClosed(EventLoop loop) {
        if (!loop.returned(this::closed)) closed();
    }

    // The loop's.

    /// The recipient has closed: it leaves its groups.
    public void closed() {
        for (var part : parts()) part.closed(this);
    }
}
