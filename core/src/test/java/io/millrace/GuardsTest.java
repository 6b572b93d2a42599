package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What users read of limits.
class GuardsTest {
    @Test
    void each_limit_has_a_count_by_its_name() {
        long before = Guards.count("frame");
        CoreGuards.FRAME.acted("nobody", "on purpose");
        assertTrue(Guards.count("frame") > before);
    }

    @Test
    void users_have_their_own() {
        var rooms = Guards.declare("test.rooms", "rooms that are open at a time");
        assertTrue(Guards.all().contains(rooms));
        rooms.acted("a house", "more than 3 rooms");
        rooms.acted("a house", "more than 3 rooms");
        assertEquals(2, Guards.count("test.rooms"));
        assertEquals(2, Guards.counts().get("test.rooms"));
        assertEquals("a house: more than 3 rooms", rooms.lastly());
    }

    @Test
    void a_name_belongs_to_one() {
        Guards.declare("test.once", "what is first");
        var thrown = assertThrows(IllegalStateException.class, () -> Guards.declare("test.once", "what is second"));
        assertTrue(String.valueOf(thrown.getMessage()).contains("test.once already (what is first)"));
        assertThrows(IllegalStateException.class, () -> Guards.declare("frame", "a frame of mine"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http.head", "rate-limit", "upstream.mine"})
    void a_name_that_a_module_of_ours_may_declare_later_is_refused(String name) {
        var thrown = assertThrows(IllegalStateException.class, () -> Guards.declare(name, "mine"));
        assertTrue(String.valueOf(thrown.getMessage()).contains("take another first word"));
        Guards.declare("test." + name, "mine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Rooms", "rooms.", "a b", "rooms..open", "a\"b", "rooms\n"})
    void what_would_break_metrics_is_no_name(String name) {
        assertThrows(IllegalArgumentException.class, () -> Guards.declare(name, "rooms"));
    }

    @Test
    void threads_that_declare_the_same_name_get_one() throws InterruptedException {
        var declared = new AtomicInteger();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 8; i++) {
            threads.add(Thread.startVirtualThread(() -> {
                try {
                    Guards.declare("test.raced", "a race");
                    declared.incrementAndGet();
                } catch (IllegalStateException _) {
                    // Another one was first.
                }
            }));
        }
        for (var thread : threads) thread.join();
        assertEquals(1, declared.get());
    }

    @Test
    void a_name_that_none_has_is_refused() {
        var thrown = assertThrows(IllegalArgumentException.class, () -> Guards.count("frames"));
        assertTrue(String.valueOf(thrown.getMessage()).contains("frames"));
    }
}
