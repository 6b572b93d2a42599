package io.millrace.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ErrnoTest {
    private static List<Field> numbers() {
        return Arrays.stream(Errno.class.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()))
                .toList();
    }

    @Test
    void every_number_has_the_name_of_its_constant() throws IllegalAccessException {
        for (Field number : numbers()) {
            assertEquals(number.getName(), Errno.name(number.getInt(null)));
        }
    }

    @Test
    void every_number_has_a_sentence_of_its_own() throws IllegalAccessException {
        Set<String> sentences = new HashSet<>();
        for (Field number : numbers()) {
            String sentence = Errno.message(number.getInt(null));
            assertTrue(sentences.add(sentence) && !sentence.contains("errno"), number.getName() + ": " + sentence);
        }
    }

    @Test
    void the_sentences_that_users_meet_name_the_remedy() {
        assertTrue(Errno.message(Errno.EADDRINUSE).contains("another port"));
        assertTrue(Errno.message(Errno.EACCES).contains("CAP_NET_BIND_SERVICE"));
        assertTrue(Errno.message(Errno.EMFILE).contains("ulimit -n"));
    }

    @Test
    void a_number_that_is_not_in_the_table_is_told_as_such() {
        assertEquals("errno 133", Errno.name(133));
        assertTrue(Errno.message(133).contains("133"));
    }
}
