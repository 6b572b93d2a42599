package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriorityTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'u=0, i' | 0 | true",
                "'i=?1,u=7' | 7 | true",
                "'i, i=?0' | 3 | false",
                "'u=8, u=1, u=x' | 1 | false",
                "'' | 3 | false",
            })
    void of_a_value_two_parameters_are_read(String value, int urgency, boolean isIncremental) {
        assertEquals(new Priority(urgency, isIncremental), Priority.of(value));
    }

    /// An entry of the table may name it again and again.
    @Test
    void a_value_that_is_too_long_counts_as_not_there() {
        assertEquals(new Priority(0, false), Priority.of("u=0" + ", x".repeat(80)));
        assertEquals(Priority.of(""), Priority.of("u=0" + ", x".repeat(100)));
    }
}
