package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A state that flaps does not flood the log, and the log ends with what is true.
class ToldStatesTest {
    private static final long START = Upstreams.START;
    private static final long SECOND = 1_000_000_000;

    private final List<String> lines = new ArrayList<>();
    private final ToldStates states = new ToldStates((level, what) -> lines.add(level + " " + what));

    private void flap(int times, long nowNanos) {
        for (int i = 1; i <= times; i++) states.changed(Level.INFO, "change " + i, nowNanos);
    }

    @Test
    void changes_that_are_rare_are_told_at_once() {
        for (int i = 0; i < 1000; i++) states.changed(Level.WARNING, "change", START + 10L * i * SECOND);
        assertEquals(1000, lines.size());
        assertEquals("WARNING change", lines.getLast());
    }

    @Test
    void a_state_that_flaps_gets_ten_lines_and_then_one_in_ten_seconds() {
        for (int milli = 0; milli < 60_000; milli++) flap(1, START + milli * 1_000_000L);
        assertEquals(10 + 5, lines.size());
    }

    @Test
    void the_last_change_is_told_when_nothing_changes_any_more() {
        flap(15, START);
        assertEquals("INFO change 10", lines.getLast());
        states.catchUp(START + 10 * SECOND - 1);
        assertEquals(10, lines.size());
        states.catchUp(START + 10 * SECOND);
        assertEquals("INFO change 15 (the log leaves out 4 changes before it)", lines.getLast());
        states.catchUp(START + 100 * SECOND);
        assertEquals(11, lines.size());
    }

    @Test
    void after_a_while_without_changes_ten_are_told_at_once_again() {
        flap(10, START);
        lines.clear();
        flap(12, START + 1000 * SECOND);
        assertEquals(10, lines.size());
        assertTrue(lines.stream().noneMatch(line -> line.contains("leaves out")), lines::toString);
    }
}
