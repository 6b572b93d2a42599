package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({"0s, PT0S, 0s", "1500ms, PT1.5S, 1500ms", "90s, PT1M30S, 90s", "60m, PT1H, 1h", "30d, PT720H, 720h"})
    void a_number_has_a_unit(String text, Duration value, String again) {
        assertEquals(value, Durations.parse(text));
        assertEquals(again, Durations.text(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "5", "s", "05s", "-1s", "1.5s", "1 s", "1w", "1234567890s"})
    void anything_else_is_refused_with_an_example(String text) {
        var refused = assertThrows(IllegalArgumentException.class, () -> Durations.parse(text));
        assertEquals("write one like 500ms, 5s, 2m, 1h or 1d", refused.getMessage());
    }
}
