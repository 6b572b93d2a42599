package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.filter.PasswordHash;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PasswordPromptTest {
    private final StringWriter out = new StringWriter();

    private void run(String input) throws IOException {
        var in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        new PasswordPrompt(in, new PrintWriter(out)).run();
    }

    @Test
    void the_first_line_becomes_a_hash_that_only_it_matches() throws IOException {
        run("sésame\nmore\n");
        assertEquals(1, out.toString().lines().count());
        var hash = PasswordHash.parse(out.toString().strip());
        assertTrue(hash.matches("sésame".toCharArray()));
        assertFalse(hash.matches("sesame".toCharArray()));
    }

    @Test
    void no_password_is_refused() {
        for (var input : new String[] {"", "\n"}) {
            var failure = assertThrows(IOException.class, () -> run(input));
            assertTrue(String.valueOf(failure.getMessage()).startsWith("there is no password: "));
        }
        assertEquals("", out.toString());
    }
}
