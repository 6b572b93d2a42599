package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.Guard;
import org.junit.jupiter.api.Test;

/// What users read of limits.
class GuardsTest {
    @Test
    void each_limit_has_a_count_by_its_name() {
        long before = Guards.count("frame");
        Guard.FRAME.acted("nobody", "on purpose");
        assertTrue(Guards.count("frame") > before);
        assertEquals(Guard.values().length, Guards.counts().size());
    }

    @Test
    void a_name_that_none_has_is_refused() {
        var thrown = assertThrows(IllegalArgumentException.class, () -> Guards.count("frames"));
        assertTrue(String.valueOf(thrown.getMessage()).contains("frames"));
    }
}
