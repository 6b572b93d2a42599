package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.GroupMember;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.codec.Presence;
import io.millrace.loop.CoreGuards;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// Who is in a group, what is kept for who joins, and how much; on a simulated network, whose loops are driven by
/// `network.run()`.
class GroupPresenceTest {
    private static final Framing LINES = Framing.lines(100_000);

    @AutoClose
    private final Simulation network = new Simulation(1);

    private final List<Messages<String>> opened = new ArrayList<>();
    private final List<Peer> peers = new ArrayList<>();

    /// Opens a connection to nobody's group.
    private Messages<String> connect() {
        if (opened.isEmpty())
            Tcp.listen(network.on(7), Messages.over(LINES, Codec.utf8(), peer -> {
                opened.add(peer);
                return (MessageHandler<String>) _ -> {};
            }));
        peers.add(network.connect(7));
        network.run();
        return opened.getLast();
    }

    private List<String> heard(int peer) {
        network.run();
        return peers.get(peer).received().lines().toList();
    }

    private static Group<String> keeping(int messages, long bytes) {
        return new Group<>(GroupSettings.standard().history(messages).historyBytes(bytes));
    }

    @Test
    void a_user_is_here_from_the_first_connection_to_the_last() {
        var group = new Group<String>();
        var told = new ArrayList<Presence>();
        group.onPresence(told::add);
        var one = connect();
        var two = connect();
        group.join(one, Joining.as("ann"));
        group.join(two, Joining.as("ann"));
        group.join(connect(), Joining.anonymous());
        assertEquals(List.of(new Presence("ann", true)), told);
        assertEquals(List.of("ann"), List.copyOf(group.users()));
        assertEquals(3, group.size());
        group.leave(one);
        assertEquals(1, told.size());
        peers.get(1).end();
        network.run();
        assertEquals(new Presence("ann", false), told.getLast());
        assertEquals(1, group.size());
        assertTrue(group.users().isEmpty());
    }

    @Test
    void who_joins_is_told_who_is_here_behind_the_last_messages() {
        var group = keeping(10, 1000);
        group.onPresence(who -> group.broadcast(who.user() + (who.isHere() ? " came" : " left")));
        group.welcome(users -> "here: " + users);
        group.join(connect(), Joining.as("ann"));
        group.join(connect(), Joining.as("bob").last(5));
        assertEquals(List.of("here: []", "ann came", "bob came"), heard(0));
        assertEquals(List.of("ann came", "here: [ann]", "bob came"), heard(1));
        group.join(connect(), Joining.as("ann"));
        assertEquals(List.of("here: [ann, bob]"), heard(2));
    }

    @Test
    void a_member_without_a_welcome_because_it_threw_is_a_member() {
        var group = new Group<String>();
        group.welcome(_ -> {
            throw new IllegalStateException("as a test");
        });
        group.join(connect());
        group.broadcast("hello");
        assertEquals(List.of("hello"), heard(0));
    }

    @Test
    void a_listener_of_presence_may_broadcast() {
        var group = new Group<String>();
        group.onPresence(who -> group.broadcast(who.user() + " " + who.isHere()));
        var one = connect();
        var two = connect();
        group.join(one, Joining.as("ann"));
        group.join(two, Joining.as("bob"));
        group.leave(one);
        assertEquals(List.of("ann true", "bob true"), heard(0));
        assertEquals(List.of("bob true", "ann false"), heard(1));
    }

    @Test
    void a_listener_that_throws_is_told_of_the_next_change() {
        var group = new Group<String>();
        var told = new ArrayList<Presence>();
        group.onPresence(who -> {
            told.add(who);
            if (who.isHere()) throw new AssertionError("expected by a test");
            throw new IllegalStateException("expected by a test");
        });
        var one = connect();
        group.join(one, Joining.as("ann"));
        group.leave(one);
        group.join(one, Joining.as("ann"));
        assertEquals(3, told.size());
    }

    @Test
    void who_joins_gets_the_last_messages_if_asked_to() {
        var group = keeping(3, 1 << 20);
        for (int i = 0; i < 5; i++) group.broadcast("m" + i);
        group.join(connect(), Joining.anonymous().last(10));
        group.join(connect(), Joining.anonymous().last(2));
        group.join(connect());
        group.broadcast("live");
        assertEquals(List.of("m2", "m3", "m4", "live"), heard(0));
        assertEquals(List.of("m3", "m4", "live"), heard(1));
        assertEquals(List.of("live"), heard(2));
    }

    @Test
    void a_history_keeps_what_the_group_says_and_members_get_the_rest_all_the_same() {
        var group = keeping(2, 1 << 20);
        group.onPresence(who -> group.broadcast(who.user() + " came"));
        group.keeps(text -> !text.endsWith(" came"));
        group.join(connect(), Joining.as("ann"));
        for (int i = 0; i < 3; i++) {
            group.broadcast("m" + i);
            group.join(connect(), Joining.as("u" + i).last(10));
        }
        assertEquals(List.of("ann came", "m0", "u0 came", "m1", "u1 came", "m2", "u2 came"), heard(0));
        assertEquals(List.of("m1", "m2", "u2 came"), heard(3));
    }

    @Test
    void what_a_group_cannot_say_whether_to_keep_goes_to_nobody() {
        var group = keeping(10, 1 << 20);
        group.join(connect());
        group.keeps(text -> !text.isEmpty() && text.charAt(3) == 'd');
        assertThrows(StringIndexOutOfBoundsException.class, () -> group.broadcast("to"));
        group.broadcast("said");
        assertEquals(List.of("said"), heard(0));
    }

    @Test
    void what_is_sent_to_one_user_is_not_kept() {
        var group = keeping(3, 1 << 20);
        group.join(connect(), Joining.as("ann"));
        group.send("ann", "secret");
        group.broadcast("public");
        group.join(connect(), Joining.as("bob").last(10));
        assertEquals(List.of("secret", "public"), heard(0));
        assertEquals(List.of("public"), heard(1));
    }

    @Test
    void a_history_drops_its_oldest_messages_when_they_take_too_much() {
        long before = CoreGuards.GROUP_HISTORY.count();
        var group = keeping(100, 10_000);
        group.join(connect());
        for (int i = 0; i < 10; i++) group.broadcast(i + "x".repeat(1_000));
        assertTrue(CoreGuards.GROUP_HISTORY.count() > before);
        group.join(connect(), Joining.anonymous().last(100));
        assertEquals(10, heard(0).size());
        var late = heard(1);
        assertTrue(late.size() >= 2 && late.size() < 9, late::toString);
        assertEquals("9", late.getLast().replace("x", ""));
        assertEquals(10 - late.size() + "", late.getFirst().replace("x", ""));
    }

    @Test
    void a_group_takes_no_more_members_than_it_may_have() {
        long before = CoreGuards.GROUP_MEMBERS.count();
        var group = new Group<String>(GroupSettings.standard().members(2));
        var one = connect();
        assertTrue(group.join(one));
        assertTrue(group.join(one), "it is one already");
        assertTrue(group.join(connect()));
        assertFalse(group.join(connect()));
        assertEquals(before + 1, CoreGuards.GROUP_MEMBERS.count());
        group.leave(one);
        assertTrue(group.join(opened.getLast()));
        assertEquals(2, group.size());
    }

    @Test
    void a_connection_that_has_closed_does_not_join() {
        var group = new Group<String>();
        var one = connect();
        one.close();
        network.run();
        assertFalse(group.join(one, Joining.as("ann")));
        assertEquals(0, group.size());
        group.leave(one);
    }

    @Test
    void members_of_other_messages_say_how_they_are_converted() {
        var numbers = new Group<Integer>();
        var one = connect();
        numbers.join(one.as(number -> "number " + number));
        numbers.broadcast(7);
        numbers.broadcastFrom(one.as(Object::toString), 8);
        numbers.leave(one.as(Object::toString));
        numbers.broadcast(9);
        assertEquals(List.of("number 7"), heard(0));
    }

    @Test
    void what_is_none_of_our_connections_is_no_member() {
        var group = new Group<String>();
        assertThrows(IllegalArgumentException.class, () -> group.join(new GroupMember<>() {}));
    }

    @Test
    void a_message_that_one_member_cannot_get_goes_to_nobody() {
        var group = new Group<String>();
        group.join(connect());
        assertThrows(IllegalArgumentException.class, () -> group.broadcast("x".repeat(200_000)));
        group.broadcast("short");
        assertEquals(List.of("short"), heard(0));
    }

    @Test
    void a_member_may_join_again() {
        var group = keeping(10, 1 << 20);
        var one = connect();
        group.join(one);
        group.broadcast("1");
        group.leave(one);
        group.broadcast("2");
        group.join(one, Joining.anonymous().last(1));
        group.broadcast("3");
        one.send("4");
        assertEquals(List.of("1", "2", "3", "4"), heard(0));
    }
}
