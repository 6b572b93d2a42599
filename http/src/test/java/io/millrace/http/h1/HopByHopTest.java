package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.HopByHop;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is passed on of a message's fields.
class HopByHopTest {
    private static Headers fields(String text) throws Refusal {
        var bytes = ("HTTP/1.1 200 OK\r\n" + text + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        var head = new StatusHead(HttpLimits.standard().headBytes(65535));
        assertEquals(bytes.length, head.parse(bytes, 0, bytes.length));
        return head.headers();
    }

    @Test
    void fields_of_the_hop_and_those_it_names_are_left_out() throws Refusal {
        var all = fields("A: 1\r\nConnection: close, B\r\nb: 2\r\nKeep-Alive: 3\r\nContent-Length: 4\r\nC: 5\r\n");
        assertEquals("A: 1\nC: 5\nVia: x\n", HopByHop.endToEnd(all, "Via", "x").toString());
    }

    /// Positions of fields have sixteen bits.
    @ParameterizedTest
    @ValueSource(ints = {10, 60_000, 65_000, 65_400})
    void one_more_field_fits_behind_any_head(int length) throws Refusal {
        var large = "x".repeat(length);
        var one = "y".repeat(500);
        var passed = HopByHop.endToEnd(fields("Large: " + large + "\r\nLast: z\r\n"), "Via", one);
        assertEquals("Large: " + large + "\nLast: z\nVia: " + one + "\n", passed.toString());
    }
}
