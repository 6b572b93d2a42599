package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.lab.stats.Estimate;
import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void numbers_keep_three_digits() {
        assertEquals("1,234,568", Figures.number(1_234_567.8));
        assertEquals("100", Figures.number(99.96));
        assertEquals("12.3", Figures.number(12.34));
        assertEquals("1.00", Figures.number(0.9996));
        assertEquals("0.123", Figures.number(0.1234));
        assertEquals("0.000", Figures.number(0.0001));
    }

    @Test
    void whole_numbers_have_no_decimals() {
        assertEquals("0", Figures.number(0));
        assertEquals("3", Figures.number(3));
    }

    @Test
    void what_is_no_number_is_a_dash() {
        assertEquals("–", Figures.number(Double.NaN));
        assertEquals("–", Figures.bytes(-1));
        assertEquals("–", Figures.estimate(Estimate.NONE));
    }

    @Test
    void bytes_take_the_unit_that_fits() {
        assertEquals("64 B", Figures.bytes(64));
        assertEquals("16 KiB", Figures.bytes(16_384));
        assertEquals("1.50 MiB", Figures.bytes(1.5 * 1024 * 1024));
    }
}
