package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private static final long SECOND = 1_000_000_000;

    private final Simulation network = new Simulation(1);
    private final EventLoop loop = EventLoop.of(network.loops().next());
    private final List<Long> expiredAt = new ArrayList<>();
    private final Deadline deadline = new Deadline(loop) {
        @Override
        protected void expired() {
            expiredAt.add(network.now().toSeconds());
        }
    };

    @AfterEach
    void close() {
        network.close();
    }

    private void onLoop(Runnable task) {
        loop.execute(task);
        network.advance(Duration.ofMillis(1));
    }

    @Test
    void it_expires_once_and_leaves_no_timer() {
        onLoop(() -> deadline.after(5 * SECOND));
        network.advance(Duration.ofSeconds(60));
        assertEquals(List.of(5L), expiredAt);
        assertEquals(0, loop.counters().timers());
    }

    @Test
    void one_that_moves_on_expires_at_its_last_moment() {
        for (int i = 0; i < 10; i++) {
            onLoop(() -> deadline.after(5 * SECOND));
            network.advance(Duration.ofSeconds(1));
        }
        network.advance(Duration.ofSeconds(60));
        assertEquals(List.of(14L), expiredAt);
    }

    @Test
    void one_that_moves_closer_expires_earlier() {
        onLoop(() -> deadline.after(50 * SECOND));
        onLoop(() -> deadline.after(2 * SECOND));
        network.advance(Duration.ofSeconds(60));
        assertEquals(List.of(2L), expiredAt);
    }

    @Test
    void one_that_is_cleared_never_expires_and_can_be_set_again() {
        onLoop(() -> deadline.after(5 * SECOND));
        onLoop(deadline::clear);
        network.advance(Duration.ofSeconds(10));
        assertEquals(List.of(), expiredAt);
        onLoop(() -> deadline.after(5 * SECOND));
        network.advance(Duration.ofSeconds(10));
        assertEquals(List.of(15L), expiredAt);
    }

    @Test
    void one_that_is_stopped_leaves_no_timer() {
        onLoop(() -> deadline.after(5 * SECOND));
        onLoop(deadline::stop);
        assertEquals(0, loop.counters().timers());
    }
}
