package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/// One thread plays both sides. Falling asleep, waking, adding and taking are one atomic step each, so the orders
/// of calls tried here are all the interleavings there are of a producer with the loop.
class TaskQueueTest {
    private final List<String> ran = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final TaskQueue queue = new TaskQueue((_, failure) -> failures.add(failure));

    @Test
    void tasks_run_once_in_the_order_they_were_added() {
        add("a");
        add("b");
        add("c");
        assertEquals(3, queue.drain(() -> 0, 1));
        assertEquals(0, queue.drain(() -> 0, 1));
        assertEquals(List.of("a", "b", "c"), ran);
    }

    @Test
    void what_a_task_adds_runs_in_the_next_drain() {
        queue.add(() -> {
            ran.add("parent");
            add("child");
        });
        add("sibling");
        assertEquals(2, queue.drain(() -> 0, 1));
        assertEquals(1, queue.drain(() -> 0, 1));
        assertEquals(List.of("parent", "sibling", "child"), ran);
    }

    @Test
    void what_takes_too_long_goes_on_in_the_next_drain_in_front_of_what_was_added_since() {
        var now = new long[1];
        for (var name : List.of("a", "b", "c", "d")) {
            queue.add(() -> {
                ran.add(name);
                now[0] += 10;
            });
        }
        assertEquals(2, queue.drain(() -> now[0], 20));
        add("e");
        assertEquals(3, queue.size());
        assertFalse(queue.prepareToWait());
        assertFalse(queue.close());
        assertEquals(2, queue.drain(() -> now[0], 20));
        assertEquals(1, queue.size());
        assertEquals(1, queue.drain(() -> now[0], 20));
        assertEquals(List.of("a", "b", "c", "d", "e"), ran);
        assertTrue(queue.prepareToWait());
    }

    @Test
    void what_stands_behind_a_sliced_task_waits_until_that_is_done() {
        add("before");
        queue.add(new SlicedTask() {
            private int slices;

            @Override
            protected boolean runSlice() {
                ran.add("slice");
                return ++slices == 3;
            }
        });
        add("behind");
        for (int i = 0; i < 3; i++) {
            assertFalse(queue.prepareToWait());
            queue.drain(() -> 0, 1);
        }
        assertEquals(List.of("before", "slice", "slice", "slice", "behind"), ran);
        assertEquals(0, queue.size());
        assertTrue(queue.prepareToWait());
    }

    @Test
    void a_slice_that_throws_is_the_last_one() {
        queue.add(new SlicedTask() {
            @Override
            protected boolean runSlice() {
                throw new IllegalStateException("boom");
            }
        });
        add("behind");
        queue.drain(() -> 0, 1);
        assertEquals(List.of("behind"), ran);
        assertEquals(1, failures.size());
    }

    @Test
    void a_loop_that_is_awake_is_not_woken() {
        assertFalse(add("a"));
        assertFalse(add("b"));
    }

    @Test
    void a_loop_does_not_wait_while_there_are_tasks() {
        add("a");
        assertFalse(queue.prepareToWait());
        queue.drain(() -> 0, 1);
        assertTrue(queue.prepareToWait());
    }

    @Test
    void the_first_task_for_a_sleeping_loop_wakes_it_and_no_other_does() {
        assertTrue(queue.prepareToWait());
        assertTrue(add("a"));
        assertFalse(add("b"));
        queue.awake();
        assertFalse(add("c"));
        assertEquals(3, queue.drain(() -> 0, 1));
        assertEquals(List.of("a", "b", "c"), ran);
    }

    @Test
    void a_task_added_just_before_the_loop_falls_asleep_again_is_not_left_behind() {
        queue.prepareToWait();
        assertTrue(add("a"));
        queue.awake();
        assertFalse(queue.prepareToWait());
        assertEquals(1, queue.drain(() -> 0, 1));
    }

    @Test
    void a_loop_that_woke_by_itself_is_not_woken() {
        queue.prepareToWait();
        queue.awake();
        assertFalse(add("a"));
        assertEquals(1, queue.drain(() -> 0, 1));
    }

    @Test
    void a_loop_that_drains_is_awake() {
        queue.prepareToWait();
        assertEquals(0, queue.drain(() -> 0, 1));
        assertFalse(add("a"));
    }

    @Test
    void each_sleep_can_be_ended_by_a_task() {
        for (int i = 0; i < 3; i++) {
            assertTrue(queue.prepareToWait());
            assertTrue(add("a"));
            queue.awake();
            assertEquals(1, queue.drain(() -> 0, 1));
        }
    }

    @Test
    void a_task_that_throws_is_reported_and_the_others_run() {
        var boom = new IllegalStateException("boom");
        add("before");
        queue.add(() -> {
            throw boom;
        });
        add("after");
        assertEquals(3, queue.drain(() -> 0, 1));
        assertEquals(List.of("before", "after"), ran);
        assertEquals(List.of(boom), failures);
    }

    @Test
    void even_a_failure_handler_that_throws_loses_no_task() {
        var strict = new TaskQueue((task, failure) -> {
            throw new IllegalStateException(task.toString(), failure);
        });
        strict.add(() -> {
            throw new IllegalStateException("boom");
        });
        strict.add(() -> ran.add("rest"));
        assertThrows(IllegalStateException.class, () -> strict.drain(() -> 0, 1));
        assertFalse(strict.prepareToWait());
        strict.add(() -> ran.add("new"));
        assertEquals(1, strict.drain(() -> 0, 1));
        assertEquals(1, strict.drain(() -> 0, 1));
        assertEquals(List.of("rest", "new"), ran);
    }

    @Test
    void its_size_counts_what_waits() {
        assertEquals(0, queue.size());
        add("a");
        add("b");
        assertEquals(2, queue.size());
        queue.add(() -> ran.add("size " + queue.size()));
        queue.drain(() -> 0, 1);
        assertEquals(List.of("a", "b", "size 0"), ran);
        queue.prepareToWait();
        assertEquals(0, queue.size());
        add("c");
        assertEquals(1, queue.size());
    }

    @Test
    void a_queue_with_tasks_is_not_closed() {
        add("a");
        assertFalse(queue.close());
        queue.drain(() -> 0, 1);
        assertTrue(queue.close());
        assertEquals(List.of("a"), ran);
    }

    @Test
    void a_closed_queue_says_that_a_task_will_not_run() {
        assertTrue(queue.prepareToWait());
        assertTrue(queue.close());
        assertThrows(RejectedExecutionException.class, () -> add("a"));
        assertEquals(0, queue.drain(() -> 0, 1));
        assertFalse(queue.prepareToWait());
        assertTrue(queue.close());
        assertThrows(RejectedExecutionException.class, () -> add("b"));
        assertEquals(0, queue.size());
    }

    private boolean add(String name) {
        return queue.add(() -> ran.add(name));
    }
}
