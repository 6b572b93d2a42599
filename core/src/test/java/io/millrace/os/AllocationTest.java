package io.millrace.os;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Child;
import io.millrace.testing.EndsChildren;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/// In a process of its own: in this one other tests refuse calls, and have taught the compiler that each has two
/// targets.
@Tag("slow")
@EnabledOnOs(OS.LINUX)
class AllocationTest {
    private static final int ROUNDS = 100_000;

    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void a_turn_of_hot_calls_allocates_nothing() throws Exception {
        try (var child = Child.start(HotCalls.class, List.of(), ROUNDS)) {
            long allocated = Long.parseLong(child.next());
            assertTrue(allocated < ROUNDS, allocated + " bytes in " + ROUNDS + " turns of 11 calls");
        }
    }
}
