package io.millrace.http.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// RFC 9110 section 5.6.7.
class DateFieldTest {
    private static final long NOW = seconds("2024-05-06T07:08:09Z");
    private static final long YEAR_10000 = seconds("+10000-01-01T00:00:00Z");

    private static long seconds(String instant) {
        return Instant.parse(instant).getEpochSecond();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
    void each_of_the_three_forms_is_a_date(String text) {
        assertEquals(OptionalLong.of(784_111_777), DateField.parse(text, NOW));
    }

    @Test
    void a_day_of_two_digits_is_one_in_each_form() {
        long expected = seconds("1994-11-16T08:49:37Z");
        assertEquals(OptionalLong.of(expected), DateField.parse("Wed, 16 Nov 1994 08:49:37 GMT", NOW));
        assertEquals(OptionalLong.of(expected), DateField.parse("Wednesday, 16-Nov-94 08:49:37 GMT", NOW));
        assertEquals(OptionalLong.of(expected), DateField.parse("Wed Nov 16 08:49:37 1994", NOW));
    }

    @Test
    void what_is_sent_can_be_read() {
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long seconds = random.nextLong(seconds("0000-01-01T00:00:00Z"), YEAR_10000);
            assertEquals(OptionalLong.of(seconds), DateField.parse(DateField.text(seconds), NOW));
        }
    }

    @Test
    void the_first_form_is_sent() {
        assertEquals("Sun, 06 Nov 1994 08:49:37 GMT", DateField.text(784_111_777));
        assertEquals("Thu, 01 Jan 1970 00:00:00 GMT", DateField.text(0));
        assertEquals("Fri, 31 Dec 9999 23:59:59 GMT", DateField.text(YEAR_10000 - 1));
    }

    @ParameterizedTest
    @CsvSource({
        "'Sunday, 06-May-74 07:08:09 GMT', 2074-05-06T07:08:09Z",
        "'Monday, 06-May-74 07:08:10 GMT', 1974-05-06T07:08:10Z",
        "'Tuesday, 31-Dec-74 23:59:59 GMT', 1974-12-31T23:59:59Z",
        "'Friday, 31-Dec-99 23:59:59 GMT', 1999-12-31T23:59:59Z",
        "'Tuesday, 29-Feb-00 00:00:00 GMT', 2000-02-29T00:00:00Z",
        "'Monday, 06-May-24 07:08:09 GMT', 2024-05-06T07:08:09Z",
        "'Sunday, 31-Dec-73 23:59:59 GMT', 2073-12-31T23:59:59Z"
    })
    void half_a_year_is_never_more_than_fifty_years_ahead(String text, String instant) {
        assertEquals(OptionalLong.of(seconds(instant)), DateField.parse(text, NOW));
    }

    @Test
    void the_second_that_is_put_in_between_is_one() {
        assertEquals(
                OptionalLong.of(seconds("2017-01-01T00:00:00Z")),
                DateField.parse("Sat, 31 Dec 2016 23:59:60 GMT", NOW));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "784111777",
                ",",
                "Sun, 06 Nov 1994 08:49:37",
                "Sun, 06 Nov 1994 08:49:37 UTC",
                "Sun, 06 Nov 1994 08:49:37 +0000",
                "Sun, 06 Nov 1994 08:49:37 gmt",
                "Sun, 06 Nov 1994 08:49:37 GMT ",
                " Sun, 06 Nov 1994 08:49:37 GMT",
                "Sun,  6 Nov 1994 08:49:37 GMT",
                "Sun, 6 Nov 1994 08:49:37 GMT",
                "Sun 06 Nov 1994 08:49:37 GMT",
                "sun, 06 Nov 1994 08:49:37 GMT",
                "SUN, 06 Nov 1994 08:49:37 GMT",
                "Sun, 06 nov 1994 08:49:37 GMT",
                "Sun, 06 Nov 94 08:49:37 GMT",
                "Sun, 06-Nov-1994 08:49:37 GMT",
                "Mon, 06 Nov 1994 08:49:37 GMT",
                "Son, 06 Nov 1994 08:49:37 GMT",
                "Sun, 00 Nov 1994 08:49:37 GMT",
                "Wed, 31 Nov 1994 08:49:37 GMT",
                "Tue, 29 Feb 2023 08:49:37 GMT",
                "Sun, 06 Nov 1994 24:00:00 GMT",
                "Sun, 06 Nov 1994 08:60:37 GMT",
                "Sun, 06 Nov 1994 08:49:60 GMT",
                "Sun, 06 Nov 1994 08:49:61 GMT",
                "Sun, 06 Nov 1994 -8:49:37 GMT",
                "Sun, 06 Nov 1994 8:49:37 GMT",
                "Sun, 06 Nov +994 08:49:37 GMT",
                "Sun, 06 Nov 19940 08:49:37 GMT",
                "Sun, \u0660\u0666 Nov 1994 08:49:37 GMT",
                "Sun, 06-Nov-94 08:49:37 GMT",
                "Sunday, 6-Nov-94 08:49:37 GMT",
                "Sunday, 06 Nov 94 08:49:37 GMT",
                "Sunday, 06-Nov-1994 08:49:37 GMT",
                "Monday, 06-Nov-94 08:49:37 GMT",
                "Monday, 06-May-74 07:08:09 GMT",
                ", 06-Nov-94 08:49:37 GMT",
                "Sun Nov 6 08:49:37 1994",
                "Sun Nov 06 08:49:37 94",
                "Sun Nov   08:49:37 1994",
                "Sun Nov  0 08:49:37 1994",
                "Mon Nov  6 08:49:37 1994",
                "Sun Nov  6 08:49:37 1994 GMT",
                "1994-11-06T08:49:37Z"
            })
    void anything_else_is_none(String text) {
        assertEquals(OptionalLong.empty(), DateField.parse(text, NOW));
    }
}
