package io.millrace.http.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class JsonStringTest {
    @Test
    void quotes_backslashes_and_controls_are_escaped_and_nothing_else() {
        assertEquals(
                "\"a \\\"b\\\" \\\\c \\u000a\\u0000\\u007f é 😀 /\"",
                JsonString.of("a \"b\" \\c \n" + (char) 0 + (char) 0x7f + " é 😀 /"));
    }

    @Test
    void what_is_plain_stands_for_itself_in_ascii() {
        assertTrue(JsonString.isPlain(' '));
        assertTrue(JsonString.isPlain('~'));
        for (char c : new char[] {'"', '\\', '\n', 0x1f, 0x7f, 'é'}) assertFalse(JsonString.isPlain(c), "" + (int) c);
    }

    @Test
    void what_is_not_plain_can_be_said_in_ascii() {
        assertEquals("\\u00e9", JsonString.escaped('é'));
        assertEquals("\\\"", JsonString.escaped('"'));
    }
}
