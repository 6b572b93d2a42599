package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.loop.EventLoop;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Peers that get the same messages: a chat room, the subscribers of a topic.
///
/// ```java
/// var room = new Group<Say>();
/// Tcp.listen(7008, Messages.over(frames, codec, peer -> {
///     room.join(peer);
///     return room::broadcast;
/// }));
/// ```
/// All methods may be called from any thread. One thread's calls on a group and on its peers take effect in their
/// order. Each event loop keeps the list of its own members, so broadcasting takes no lock; a message is encoded
/// once, and travels to each loop as one task.
///
/// A member that reads more slowly than the group sends gets everything until its output limit
/// (`Listen.outputLimit`) is reached; then it is dropped as [io.millrace.net.Overloaded]. So a member that stays
/// has missed nothing. In a [#lossy] group, slow members miss messages instead.
///
/// Messages that wait for a loop to pass them to its members are limited in bytes (`group.pending`,
/// [io.millrace.EventLoops.Setup#groupPending]). At that limit a thread that may wait does so until the loop has
/// caught up; it should hold no lock that handlers take. A thread that must not wait, an event loop's or a virtual
/// thread that it carries, gets an [io.millrace.bytes.Overflow], and no member gets the message. In a lossy group,
/// the members on that loop miss it. A loop serves some members at a time, so that its other connections go on
/// meanwhile.
public final class Group<M> {
    private final boolean isLossy;
    private final LongAdder missed = new LongAdder();

    /// One for each event loop and encoding; those with the same encoding are adjacent. Guarded by this for
    /// changes.
    private final CopyOnWriteArrayList<GroupMembers<M>> places = new CopyOnWriteArrayList<>();

    public Group() {
        this(false);
    }

    private Group(boolean isLossy) {
        this.isLossy = isLossy;
    }

    /// A group in which a full member ([Messages#isFull]) misses the message: for messages that the next one
    /// replaces, such as prices or positions.
    public static <M> Group<M> lossy() {
        return new Group<>(true);
    }

    /// Makes the peer a member until it leaves or its connection closes; without effect when it is one.
    public void join(Messages<M> peer) {
        GroupMembers.awaitRoom(peer.eventLoop());
        synchronized (this) {
            var place = placeOf(peer);
            // Before the loop knows, so that what the caller sends to the peer from now on keeps its order.
            peer.enter(place);
            place.add(peer);
        }
    }

    /// Removes a place without members, and with it a codec that was made for one connection.
    synchronized void left(GroupMembers<M> place) {
        if (place.isEmpty()) places.remove(place);
    }

    /// Ends the peer's membership; without effect when it is no member.
    public void leave(Messages<M> peer) {
        GroupMembers.awaitRoom(peer.eventLoop());
        for (var place : places) {
            if (place.isOf(peer)) place.remove(peer);
        }
    }

    /// Sends a message to every member.
    ///
    /// @throws IllegalArgumentException    when the message does not fit the framing of a member
    /// @throws io.millrace.bytes.Overflow when too much waits for a loop, on a thread that must not wait
    public void broadcast(M message) {
        broadcast(message, null);
    }

    /// Sends a message to every member except the one it came from; otherwise as [#broadcast].
    public void broadcastFrom(Messages<M> sender, M message) {
        broadcast(message, sender);
    }

    private void broadcast(M message, @Nullable Messages<M> except) {
        boolean isLoop = EventLoop.isCallerALoop();
        // Room on all loops before the first message: a limit must not let some members get what others do not.
        if (!isLossy) makeRoom(isLoop);
        GroupMembers<M> alike = null;
        var frame = Bytes.EMPTY;
        for (var place : places) {
            if (place.isEmpty() || isMissed(place)) continue;
            if (alike == null || !place.encodesLike(alike)) frame = place.encode(message);
            alike = place;
            place.send(frame, except);
        }
    }

    private void makeRoom(boolean isLoop) {
        for (var place : places) {
            if (place.isEmpty() || place.takesNow()) continue;
            if (isLoop || !place.backlog().awaitRoom()) place.backlog().requireRoom();
        }
    }

    private boolean isMissed(GroupMembers<M> place) {
        if (!isLossy || !place.backlog().isFull() || place.takesNow()) return false;
        int members = place.size();
        missed.add(members);
        place.backlog().missed(members);
        return true;
    }

    /// How many members there were a moment ago.
    public int size() {
        int size = 0;
        for (var place : places) size += place.size();
        return size;
    }

    /// How many messages members of a [#lossy] group have missed, one for each member and message.
    public long missed() {
        return missed.sum();
    }

    private GroupMembers<M> placeOf(Messages<M> peer) {
        for (var place : places) {
            if (place.isOf(peer)) return place;
        }
        return addPlace(peer);
    }

    private GroupMembers<M> addPlace(Messages<M> peer) {
        int behind = places.size();
        for (int i = 0; i < places.size(); i++) {
            var place = places.get(i);
            if (place.isOf(peer)) return place;
            if (place.encodesLike(peer)) behind = i + 1;
        }
        var place = new GroupMembers<>(this, peer, isLossy ? missed : null);
        places.add(behind, place);
        return place;
    }
}
