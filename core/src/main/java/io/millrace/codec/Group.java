package io.millrace.codec;

import io.millrace.loop.Addressee;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Memberships;
import io.millrace.loop.Recipient;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Members that get the same messages: a chat room, the subscribers of a topic. [Messages], WebSockets and
/// streams of events are members alike:
///
/// ```java
/// var room = new Group<String>(GroupSettings.standard().history(50));
/// room.onPresence(who -> room.broadcast(who.user() + (who.isHere() ? " is here" : " has left")));
/// Http.listen(8080, request -> WebSocket.accept(request, socket -> {
///     room.join(socket, Joining.as(userOf(request)).last(20));
///     return room::broadcast;
/// }));
/// ```
/// All methods may be called from any thread. One thread's calls on a group and on its members take effect in their
/// order. A member leaves by itself when its connection closes.
///
/// Each event loop keeps the list of its own members, and a message travels to each loop as one task. It is
/// encoded once for all members that take it in the same form, compressed at most once, and shared.
///
/// What a member does not read waits in its own queue, and what happens when that is full is its own policy:
/// `Messages` and streams of events are dropped at their output limit (`Listen.outputLimit`), WebSockets have a
/// policy for slow readers. So a member that stays, and that does not drop messages by its policy, has missed
/// nothing. In a [#lossy] group, full members miss messages instead. Either way a slow member does not hold up
/// the others.
///
/// Messages that wait for a loop to pass them to its members are limited in bytes (`group.pending`,
/// [io.millrace.EventLoops.Setup#groupPending]). At that limit a thread that may wait does so until the loop has
/// caught up; it should hold no lock that handlers take. A thread that must not wait, an event loop's or a
/// virtual thread that it carries, gets an [io.millrace.bytes.Overflow], and no member gets the message. In a
/// lossy group, the members on that loop miss it. A loop serves some members at a time, so that its other
/// connections go on meanwhile.
public final class Group<M> {
    private static final System.Logger LOG = LoopLog.of("io.millrace.group");

    private final GroupSettings settings;
    private final LongAdder missed = new LongAdder();
    private final Encodings<M> encodings = new Encodings<>();

    /// One for each event loop that has members. Guarded by this for changes.
    private final CopyOnWriteArrayList<GroupLoop<M>> places = new CopyOnWriteArrayList<>();

    private final Attendance<M> attendance = new Attendance<>();
    private volatile @Nullable Function<? super Set<String>, ? extends M> welcome;
    private volatile Predicate<? super M> keeps = _ -> true;

    // Guarded by this.

    private final HashMap<Memberships, Seat<M>> seats = new HashMap<>();
    private final @Nullable GroupHistory<M> history;

    /// A group with standard settings.
    public Group() {
        this(GroupSettings.standard());
    }

    public Group(GroupSettings settings) {
        this.settings = settings;
        this.history = settings.history() == 0 ? null : new GroupHistory<>(settings);
    }

    /// A group in which a full member misses the message: for messages that the next one replaces, such as prices
    /// or positions.
    public static <M> Group<M> lossy() {
        return new Group<>(GroupSettings.standard().lossy());
    }

    // Members.

    /// Makes it a member, as nobody in particular, until it leaves or its connection closes; otherwise as
    /// [#join(GroupMember, Joining)].
    public boolean join(GroupMember<M> member) {
        return join(member, Joining.anonymous());
    }

    /// Makes it a member until it leaves or its connection closes; without effect when it is one. It gets the
    /// last messages first, if it asks for them, and from then on each message once, without a gap.
    ///
    /// @return false if it is not a member: its connection has closed, or there are too many members
    ///         ([GroupSettings#members])
    public boolean join(GroupMember<M> member, Joining how) {
        var addressee = ConvertedMember.addressee(member);
        var recipient = addressee.recipient();
        if (!recipient.isOpen()) return false;
        GroupLoop.awaitRoom(recipient.eventLoop());
        var joined = enter(addressee, how);
        if (joined == Joined.FULL)
            CoreGuards.GROUP_MEMBERS.acted(
                    "a group", settings.members() + " members: no more may join (GroupSettings.members)");
        if (joined == Joined.LOOP_IS_GONE) closed(recipient.memberships());
        attendance.tell(this);
        return joined == Joined.YES;
    }

    private enum Joined {
        YES,
        FULL,
        LOOP_IS_GONE
    }

    private Joined enter(Addressee<M> addressee, Joining how) {
        var recipient = addressee.recipient();
        Seat<M> seat;
        List<Letter<M>> past;
        Set<String> present;
        synchronized (this) {
            if (seats.containsKey(recipient.memberships())) return Joined.YES;
            if (seats.size() >= settings.members()) return Joined.FULL;
            var place = placeOf(recipient.eventLoop());
            seat = new Seat<>(recipient, addressee.encoding(), how.user(), place);
            past = history == null ? List.of() : history.last(how.last());
            present = welcome == null ? Set.of() : attendance.told();
            take(seat);
            if (!place.takesNow()) {
                boolean isTaken = place.step(() -> place.add(seat, first(past, present), false));
                return isTaken ? Joined.YES : Joined.LOOP_IS_GONE;
            }
            place.joinBegins();
        }
        try {
            seat.place.add(seat, first(past, present), true);
        } finally {
            seat.place.joinEnds();
        }
        return Joined.YES;
    }

    /// What a member gets first.
    private List<Letter<M>> first(List<Letter<M>> past, Set<String> present) {
        var made = welcome;
        if (made == null) return past;
        try {
            var greeting = new Letter<M>(made.apply(present));
            return Stream.concat(past.stream(), Stream.of(greeting)).toList();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the welcome of a group threw", e);
            return past;
        }
    }

    private GroupLoop<M> placeOf(EventLoop loop) {
        for (var place : places) {
            if (place.loop().equals(loop)) return place;
        }
        var made = new GroupLoop<>(this, loop, settings.isLossy() ? missed : null);
        places.add(made);
        return made;
    }

    private void take(Seat<M> seat) {
        seats.put(seat.recipient.memberships(), seat);
        // Before the loop knows, so that what the caller sends to the member from now on keeps its order.
        seat.recipient.memberships().enter(seat.place);
        encodings.add(seat);
        attendance.came(seat);
    }

    private void leave(Seat<M> seat) {
        seats.remove(seat.recipient.memberships());
        // A codec may have been made for one connection.
        if (encodings.remove(seat) && history != null) history.forget(seat.encoding);
        attendance.went(seat);
    }

    /// Ends a membership; without effect when there is none.
    public void leave(GroupMember<M> member) {
        var recipient = ConvertedMember.addressee(member).recipient();
        if (!isMember(recipient.memberships())) return;
        GroupLoop.awaitRoom(recipient.eventLoop());
        var left = exit(recipient.memberships());
        if (left != null) left.place.remove(left);
        attendance.tell(this);
    }

    private synchronized boolean isMember(Memberships member) {
        return seats.containsKey(member);
    }

    /// @return what the caller itself removes, because it is the loop
    private synchronized @Nullable Seat<M> exit(Memberships member) {
        var seat = seats.get(member);
        if (seat == null) return null;
        leave(seat);
        if (seat.place.takesNow()) return seat;
        var _ = seat.place.step(() -> seat.place.remove(seat));
        return null;
    }

    /// How many members there are.
    public synchronized int size() {
        return seats.size();
    }

    /// The users that are here, the first to come first.
    public synchronized Set<String> users() {
        return attendance.users();
    }

    /// Has changes of [#users] told from now on: one at a time, in their order, by a thread that brings one
    /// about, an event loop among them. It must not wait. If users come and go faster than that is told, only
    /// what has changed since is told.
    public void onPresence(Consumer<? super Presence> listener) {
        attendance.listen(listener);
    }

    /// Has who joins from now on get a message of its own, behind the last ones and before those that follow: made of
    /// the users of which [#onPresence] has told, so that they and what it tells from then on are who is here. It
    /// is made by the thread that joins, or by the member's loop, and must not wait.
    public void welcome(Function<? super Set<String>, ? extends M> message) {
        welcome = message;
    }

    /// Has the history ([GroupSettings#history]) keep, from now on, only the messages for which this is true,
    /// such as what was said but not who came. By default it keeps all that are broadcast. Members get the
    /// others all the same. It is asked by the thread that broadcasts, and must not wait; what it throws,
    /// [#broadcast] throws, and no member gets the message.
    public void keeps(Predicate<? super M> which) {
        keeps = which;
    }

    // Messages.

    /// Sends a message to every member.
    ///
    /// @throws IllegalArgumentException    when the message cannot be sent to a member, as when it does not fit the
    ///                                     framing
    /// @throws io.millrace.bytes.Overflow when too much waits for a loop, on a thread that must not wait
    public void broadcast(M message) {
        broadcast(message, null);
    }

    /// Sends a message to every member except the one it came from; otherwise as [#broadcast].
    public void broadcastFrom(GroupMember<M> sender, M message) {
        broadcast(message, ConvertedMember.addressee(sender).recipient());
    }

    /// Sends a message to every connection of one user, if there is one; otherwise as [#broadcast]. It is not
    /// kept for who joins later.
    public void send(String user, M message) {
        List<Seat<M>> to;
        synchronized (this) {
            to = attendance.of(user);
        }
        if (to.isEmpty()) return;
        var letter = encoded(message);
        for (var place : places) {
            var members = to.stream().filter(seat -> seat.place.equals(place)).toList();
            if (members.isEmpty() || isMissed(place, members.size())) continue;
            var delivery = new Delivery<>(place, letter, null, letter.bytes()).to(members);
            if (place.takesNow()) delivery.begin();
            else delivery.enqueue();
        }
    }

    /// How many messages members of a [#lossy] group have missed, one for each member and message.
    public long missed() {
        return missed.sum();
    }

    // A message enters here, and is delivered to this process's members below: what comes from other processes would
    // enter at `deliver`.

    private void broadcast(M message, @Nullable Recipient except) {
        deliver(message, except);
    }

    private void deliver(M message, @Nullable Recipient except) {
        var letter = encoded(message);
        var here = history == null
                ? post(letter, except)
                : keepAndPost(keeps.test(message) ? history : null, letter, except);
        if (here != null) here.begin();
    }

    private Letter<M> encoded(M message) {
        // Room on all loops before the first message: a limit must not let some members get what others do not.
        if (!settings.isLossy()) makeRoom(EventLoop.isCallerALoop());
        var letter = new Letter<>(message);
        encodings.encode(letter);
        return letter;
    }

    private void makeRoom(boolean isLoop) {
        for (var place : places) {
            if (place.isEmpty() || place.takesNow()) continue;
            if (isLoop || !place.backlog().awaitRoom()) place.backlog().requireRoom();
        }
    }

    /// Who joins gets it either with the last messages, or as a member. All messages keep their order, whether
    /// they are kept or not.
    private synchronized @Nullable Delivery<M> keepAndPost(
            @Nullable GroupHistory<M> in, Letter<M> letter, @Nullable Recipient except) {
        if (in != null) in.add(letter);
        return post(letter, except);
    }

    /// Passes a letter to each loop.
    ///
    /// @return what the caller itself has to do, because it is the loop
    private @Nullable Delivery<M> post(Letter<M> letter, @Nullable Recipient except) {
        Delivery<M> here = null;
        for (var place : places) {
            if (place.isEmpty() || isMissed(place, place.size())) continue;
            var delivery = new Delivery<>(place, letter, except, letter.bytes());
            if (place.takesNow()) here = delivery;
            else delivery.enqueue();
        }
        return here;
    }

    private boolean isMissed(GroupLoop<M> place, int members) {
        if (!settings.isLossy() || !place.backlog().isFull() || place.takesNow()) return false;
        missed.add(members);
        place.backlog().missed(members);
        return true;
    }

    // For the loops.

    /// A connection has closed.
    ///
    /// @return its membership, which is over, or null
    @Nullable
    Seat<M> closed(Memberships member) {
        Seat<M> seat;
        synchronized (this) {
            seat = seats.get(member);
            if (seat != null) leave(seat);
        }
        attendance.tell(this);
        return seat;
    }

    /// A member has left, unless it has joined again since.
    synchronized void hasLeft(Seat<M> seat) {
        var memberships = seat.recipient.memberships();
        if (!seats.containsKey(memberships)) memberships.exit(seat.place);
    }

    /// Letters of the history may have got frames.
    synchronized void hasEncoded() {
        if (history != null) history.weigh();
    }

    /// Removes a place without members.
    synchronized void left(GroupLoop<M> place) {
        if (place.isEmpty()) places.remove(place);
    }
}
