package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The reader and the schema say the same of files. What is wrong with those in `bad` both see; what is wrong
/// with those in `only-read` no schema can say: names that lead nowhere, files that are not there.
class CorpusTest {
    private static final SchemaJudge SCHEMA = new SchemaJudge();

    static List<String> good() {
        return Corpus.files("good");
    }

    static List<String> bad() {
        return Corpus.files("bad");
    }

    static List<String> onlyRead() {
        return Corpus.files("only-read");
    }

    @ParameterizedTest
    @MethodSource("good")
    void a_good_file_is_good_to_the_reader_and_to_the_schema(String file) {
        var text = Corpus.text(file);
        assertEquals("", Corpus.problems(text));
        assertEquals(List.of(), SCHEMA.complaints(text));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void a_bad_file_is_refused_by_both_and_all_problems_are_told(String file) throws IOException {
        checkProblems(file);
        assertFalse(SCHEMA.complaints(Corpus.text(file)).isEmpty());
    }

    @ParameterizedTest
    @MethodSource("onlyRead")
    void what_no_schema_can_say_the_reader_says(String file) throws IOException {
        checkProblems(file);
        assertEquals(List.of(), SCHEMA.complaints(Corpus.text(file)));
    }

    private static void checkProblems(String file) throws IOException {
        var expected = file.replace(".yaml", ".problems");
        var problems = Corpus.problems(Corpus.text(file));
        if (System.getProperty("millrace.reference.write") != null) {
            Files.writeString(Corpus.ROOT.resolve(expected), problems);
        }
        assertEquals(Corpus.text(expected), problems);
        assertFalse(problems.isEmpty());
    }

    @Test
    void whatever_becomes_of_a_file_the_reader_takes_nothing_that_the_schema_refuses() {
        var random = new Random(7);
        int taken = 0;
        for (int i = 0; i < 1000; i++) {
            var file = Corpus.text(good().get(random.nextInt(good().size())));
            if (checkAgreement(Mutations.of(file, random))) taken++;
        }
        assertTrue(taken > 50, "only " + taken + " were taken, which says little");
    }

    /// Returns whether the reader took it.
    private static boolean checkAgreement(String text) {
        if (!(Corpus.check(text) instanceof CheckedFile.Good)) return false;
        assertEquals(List.of(), SCHEMA.complaints(text), text);
        return true;
    }
}
