package io.millrace.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndTasksTest {
    private final EndTasks tasks = new EndTasks();
    private final List<String> told = new ArrayList<>();

    @Test
    void tasks_run_at_the_end_in_their_order() {
        tasks.add(() -> told.add("one"));
        tasks.add(() -> told.add("two"));
        assertEquals(List.of(), told);
        assertTrue(tasks.end());
        assertEquals(List.of("one", "two"), told);
    }

    @Test
    void there_is_one_end() {
        tasks.add(() -> told.add("once"));
        assertFalse(tasks.isOver());
        assertTrue(tasks.end());
        assertFalse(tasks.end());
        assertTrue(tasks.isOver());
        assertEquals(List.of("once"), told);
    }

    @Test
    void a_task_behind_the_end_runs_now() {
        assertTrue(tasks.end());
        tasks.add(() -> told.add("late"));
        assertEquals(List.of("late"), told);
    }

    @Test
    void a_task_may_add_another_and_one_that_throws_keeps_none_from_running() {
        tasks.add(() -> {
            throw new IllegalStateException("a task that throws, for this test");
        });
        tasks.add(() -> tasks.add(() -> told.add("added at the end")));
        assertTrue(tasks.end());
        assertEquals(List.of("added at the end"), told);
    }
}
