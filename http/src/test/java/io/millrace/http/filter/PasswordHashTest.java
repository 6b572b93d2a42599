package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordHashTest {
    /// Made by `hashlib.pbkdf2_hmac("sha256", b"correct horse", b"0123456789abcdef", 10000)` of Python.
    private static final String OF_PYTHON =
            "pbkdf2-sha256$10000$MDEyMzQ1Njc4OWFiY2RlZg==$TI2grtvV1HW5nz2rBY4tctlrmOj5bZs0dw9j8NHpRRc=";

    @Test
    void a_hash_that_others_made_matches_its_password_and_no_other() {
        var hash = PasswordHash.parse(OF_PYTHON);
        assertTrue(hash.matches("correct horse".toCharArray()));
        assertFalse(hash.matches("correct horse ".toCharArray()));
        assertFalse(hash.matches(new char[0]));
    }

    @Test
    void a_hash_is_written_as_it_was_read() {
        assertEquals(OF_PYTHON, PasswordHash.parse(OF_PYTHON).text());
    }

    @Test
    void two_hashes_of_one_password_differ_and_both_match() {
        var random = new SecureRandom();
        var one = PasswordHash.of("secret".toCharArray(), random);
        var other = PasswordHash.of("secret".toCharArray(), random);
        assertNotEquals(one, other);
        assertTrue(PasswordHash.parse(one.text()).matches("secret".toCharArray()));
        assertTrue(other.matches("secret".toCharArray()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "secret",
                "$2y$10$abcdefghijklmnopqrstuv",
                "pbkdf2-sha256$1$AAAA$AAAA",
                "pbkdf2-sha256$600000$$"
            })
    void what_is_no_such_hash_is_refused(String text) {
        assertThrows(IllegalArgumentException.class, () -> PasswordHash.parse(text));
    }

    @Test
    void its_text_for_logs_has_nothing_of_it() {
        assertEquals("a hash of 10000 iterations", PasswordHash.parse(OF_PYTHON).toString());
    }
}
