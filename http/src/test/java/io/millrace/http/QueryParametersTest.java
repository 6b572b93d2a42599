package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Parameters that are added to the query of a request.
class QueryParametersTest {
    private static final String URI = "http://example.org/search";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "q | plain-._~09AZ | q=plain-._~09AZ",
                "q | a b | q=a%20b",
                "q | a+b | q=a%2Bb",
                "q | a&b=c | q=a%26b%3Dc",
                "q | #x?y/z%41 | q=%23x%3Fy%2Fz%2541",
                "q | ä€😀 | q=%C3%A4%E2%82%AC%F0%9F%98%80",
                "q | \"\" | q=",
                "a b&c | 1 | a%20b%26c=1",
                "q | \"x\r\nHost: evil\" | q=x%0D%0AHost%3A%20evil",
            })
    void names_and_values_are_escaped(String name, String value, String query) {
        var request = Request.get(URI).addParameter(name, value);
        assertEquals(query, request.query());
        assertEquals(value, request.parameter(name).orElseThrow());
    }

    @Test
    void they_stand_behind_those_that_are_there_and_leave_all_else() {
        var request = Request.post(URI + "?a=1&b", Bytes.utf8("body"))
                .addHeader("X-Mine", "yes")
                .addParameter("a", "2")
                .addParameter("c", "3");
        assertEquals("a=1&b&a=2&c=3", request.query());
        assertEquals(List.of("1", "2"), request.parameters("a"));
        assertEquals("body", request.text());
        assertEquals("yes", request.header("X-Mine").orElseThrow());
        assertEquals("/search", request.path());
    }

    @Test
    void the_server_as_a_whole_has_no_query() {
        var request = Request.of("OPTIONS", "*", Bytes.EMPTY);
        assertThrows(IllegalArgumentException.class, () -> request.addParameter("a", "b"));
    }

    @Test
    void random_texts_come_back() {
        for (int seed = 0; seed < 500; seed++) {
            var random = new Random(seed);
            var request = Request.get(URI);
            var values = new ArrayList<String>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                var value = random.ints(random.nextInt(20), 0, 0x3000)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
                values.add(value);
                request = request.addParameter("q", value);
            }
            assertEquals(values, request.parameters("q"), "seed " + seed);
        }
    }
}
