package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.loop.CarrierAccess.Names;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What loops need of the JDK to carry threads: everything is looked for under its name, and what is not there
/// costs the carriers, never the start.
class CarrierAccessTest {
    private static final Names THIS = Names.JDK_25;

    @Test
    void the_JDK_that_tests_run_on_has_it_all_and_it_works() {
        assumeTrue(Runtime.version().feature() == 25);
        var found = CarrierAccess.lookFor(THIS);
        assertNotNull(found.access(), found.complaint());
        assertEquals(Optional.empty(), found.access().complaint());
        assertTrue(LoopThreads.canCarry());
    }

    static Stream<Names> withAPieceMissing() {
        return Stream.of(
                named("Builder", THIS.carrier(), THIS.localsType(), THIS.locals(), THIS.threads(), THIS.scheduler()),
                named(THIS.builder(), "carrier", THIS.localsType(), THIS.locals(), THIS.threads(), THIS.scheduler()),
                named(THIS.builder(), THIS.carrier(), "Map", THIS.locals(), THIS.threads(), THIS.scheduler()),
                named(THIS.builder(), THIS.carrier(), THIS.localsType(), "locals", THIS.threads(), THIS.scheduler()),
                named(THIS.builder(), THIS.carrier(), THIS.localsType(), THIS.locals(), "Threads", THIS.scheduler()),
                named(THIS.builder(), THIS.carrier(), THIS.localsType(), THIS.locals(), THIS.threads(), "scheduler"),
                // There, and of another type.
                named("java.lang.Object", THIS.carrier(), THIS.localsType(), THIS.locals(), THIS.threads(), "hash"),
                named(THIS.builder(), "onSpinWait", THIS.localsType(), THIS.locals(), THIS.threads(), THIS.scheduler()),
                named(THIS.builder(), THIS.carrier(), THIS.localsType(), "name", THIS.threads(), THIS.scheduler()));
    }

    private static Names named(
            String builder, String carrier, String localsType, String locals, String threads, String scheduler) {
        return new Names(builder, carrier, localsType, locals, THIS.inheritable(), threads, scheduler);
    }

    @ParameterizedTest
    @MethodSource("withAPieceMissing")
    void a_piece_that_is_missing_is_named_and_stops_nothing(Names names) {
        var found = CarrierAccess.lookFor(names);
        assertNull(found.access());
        assertTrue(found.complaint().contains(Runtime.version().toString()), found.complaint());
        assertFalse(found.complaint().contains("--add-opens"), found.complaint());
    }
}
