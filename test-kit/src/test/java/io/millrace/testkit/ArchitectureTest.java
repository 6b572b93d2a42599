package io.millrace.testkit;

import io.millrace.sim.Simulation;
import io.millrace.testing.Floors;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The floors of this module; `docs/ARCHITECTURE.md` says what they are.
class ArchitectureTest {
    /// Low to high: nothing depends on what is to the right of it.
    private static final Floors FLOORS =
            new Floors(Simulation.class, "io.millrace", List.of(".sim.network", ".sim", ".http.kit"));

    @Test
    void every_package_is_on_a_floor() {
        FLOORS.assertEveryPackageIsOnOne();
    }

    @Test
    void no_floor_depends_on_a_higher_one() {
        FLOORS.assertEdgesUpward(List.of());
    }

    @Test
    void every_package_says_what_may_be_null() {
        FLOORS.assertEachSaysWhatMayBeNull();
    }

    @Test
    void no_name_says_nothing() {
        FLOORS.assertNoNameSaysNothing();
    }
}
