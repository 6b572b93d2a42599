package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.EventLoops.Setup;
import org.junit.jupiter.api.Test;

/// What loops may have by default fits into what the JVM has outside its heap, which is as much as in it.
class DefaultMemoryTest {
    private static final long MIB = 1 << 20;

    @Test
    void it_is_a_quarter_of_the_heap_for_all() {
        assertEquals(128 * MIB, Setup.defaultMemory(2048 * MIB, 4));
        assertEquals(256 * MIB, Setup.defaultMemory(16_384 * MIB, 2));
    }

    @Test
    void many_loops_have_more_but_no_more_than_half_of_the_heap() {
        assertEquals(16 * MIB, Setup.defaultMemory(2048 * MIB, 64));
        assertEquals(8 * MIB, Setup.defaultMemory(1024 * MIB, 64));
        assertEquals(4 * MIB, Setup.defaultMemory(256 * MIB, 32));
    }

    @Test
    void a_small_heap_has_fewer_loops_by_default() {
        assertEquals(64, Setup.defaultThreads(64, 512 * MIB));
        assertEquals(2, Setup.defaultThreads(64, 17 * MIB));
        assertEquals(1, Setup.defaultThreads(64, 5 * MIB));
    }

    @Test
    void too_many_loops_for_the_heap_are_refused_with_the_remedy() {
        var refusal = assertThrows(IllegalStateException.class, () -> Setup.defaultMemory(256 * MIB, 64));
        assertEquals(
                "64 event loops need 4 MiB of memory outside the heap each, and a JVM with a heap of 256 MiB leaves "
                        + "half of that to them: start fewer (EventLoops.Setup.threads), raise -Xmx, or set how much "
                        + "each loop may have (EventLoops.Setup.memory)",
                refusal.getMessage());
    }
}
