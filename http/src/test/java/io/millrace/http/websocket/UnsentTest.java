package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.websocket.Unsent.Control;
import io.millrace.http.websocket.Unsent.Part;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// In which order messages, parts and control frames are sent, and which are not.
class UnsentTest {
    private static final Control PING = new Control.Ping();

    private final Unsent unsent = new Unsent() {};

    private static Part part(String text, boolean isLast) {
        return new Part(Bytes.utf8(text), true, isLast);
    }

    private void assertSends(Object... expected) {
        var all = new ArrayList<>();
        for (var next = unsent.next(); next != null; next = unsent.next()) all.add(next);
        assertEquals(List.of(expected), all);
        assertEquals(0, unsent.bytes());
        assertEquals(0, unsent.behindBytes());
    }

    @Test
    void messages_are_sent_in_their_order() {
        for (int i = 0; i < 10; i++) unsent.whole("m" + i);
        assertSends("m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9");
    }

    @Test
    void whole_messages_wait_for_the_last_part_and_control_frames_do_not() {
        var first = part("a", false);
        var second = part("b", false);
        var last = part("c", true);
        unsent.whole("before");
        unsent.part(first);
        unsent.whole("one");
        unsent.control(PING);
        unsent.part(second);
        unsent.newest("k", "two");
        assertTrue(unsent.behindBytes() > 0);
        unsent.newest("k", "three");
        unsent.part(last);
        unsent.whole("after");
        assertSends("before", first, PING, second, last, "one", "three", "after");
        assertEquals(1, unsent.missed());
    }

    @Test
    void what_waits_behind_parts_is_sent_though_those_have_gone() {
        unsent.part(part("a", false));
        unsent.whole("one");
        unsent.next();
        assertEquals(unsent.bytes(), unsent.behindBytes());
        var last = part("b", true);
        unsent.part(last);
        assertSends(last, "one");
    }

    @Test
    void parts_of_another_kind_are_refused() {
        unsent.part(part("a", false));
        assertThrows(IllegalStateException.class, () -> unsent.part(new Part(Bytes.EMPTY, false, true)));
        unsent.part(part("b", true));
        unsent.part(new Part(Bytes.EMPTY, false, true));
    }

    @Test
    void of_several_pongs_the_last_is_sent_where_the_first_was() {
        unsent.control(new Control.Pong(Bytes.utf8("first")));
        unsent.whole("m");
        unsent.control(new Control.Pong(Bytes.utf8("second, which is longer")));
        unsent.control(PING);
        assertSends(new Control.Pong(Bytes.utf8("second, which is longer")), "m", PING);
        unsent.control(new Control.Pong(Bytes.EMPTY));
        assertSends(new Control.Pong(Bytes.EMPTY));
    }

    @Test
    void a_newer_message_takes_the_place_of_the_one_with_its_key() {
        unsent.newest("a", "a1");
        unsent.newest("b", "b1");
        unsent.newest("a", "a2, which is longer");
        unsent.whole("a1");
        unsent.newest("b", "b2");
        assertEquals(2, unsent.missed());
        assertSends("a2, which is longer", "b2", "a1");
        unsent.newest("a", "a3");
        assertSends("a3");
        assertEquals(2, unsent.missed());
    }

    @Test
    void the_oldest_whole_messages_are_dropped() {
        var first = part("part", false);
        unsent.newest("a", "a1");
        unsent.whole("m1");
        unsent.part(first);
        unsent.control(PING);
        unsent.whole("m2");
        long after = unsent.bytes();
        unsent.whole("m3");
        assertTrue(unsent.dropTo(after));
        assertEquals(1, unsent.missed());
        assertFalse(unsent.dropTo(0));
        assertEquals(4, unsent.missed());
        unsent.newest("a", "a2");
        var last = part("last", true);
        unsent.part(last);
        assertSends(first, PING, last, "a2");
    }
}
