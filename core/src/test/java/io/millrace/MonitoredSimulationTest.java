package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.Child;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MonitoredSimulationTest {
    /// In a process of its own, because what fails here is the JVM.
    @Test
    void a_simulation_may_run_within_synchronized() throws Exception {
        var noCore = List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null");
        try (var child = Child.start(MonitoredSimulation.class, noCore)) {
            assertEquals("done", child.next());
            assertEquals(0, child.end());
        }
    }
}
