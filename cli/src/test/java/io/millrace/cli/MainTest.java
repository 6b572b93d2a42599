package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void help_names_the_subcommands() {
        assertEquals(0, run("--help"));
        for (var name : List.of("echo", "proxy", "load", "demo", "doctor", "generate-completion")) {
            assertTrue(out.toString().lines().anyMatch(line -> line.startsWith("  " + name + " ")), out::toString);
        }
    }

    @Test
    void version_is_that_of_the_build() {
        assertEquals(0, run("--version"));
        assertTrue(out.toString().matches("millrace \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R"), out::toString);
    }

    @Test
    void an_unknown_option_ends_with_2_and_one_sentence_that_names_it() {
        assertEquals(2, run("--no-such-option"));
        assertEquals("", out.toString());
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().contains("'--no-such-option'"), err::toString);
    }

    @Test
    void an_unknown_command_ends_with_2_and_one_sentence_that_names_it() {
        assertEquals(2, run("sing"));
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().startsWith("millrace: there is no command 'sing' ("), err::toString);
    }

    @Test
    void a_missing_subcommand_ends_with_2_and_one_sentence() {
        assertEquals(2, run());
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().contains("subcommand"), err::toString);
    }

    @Test
    void completion_is_a_script_for_the_shell() {
        assertEquals(0, run("generate-completion"));
        assertTrue(out.toString().contains("complete -F _complete_millrace"), out::toString);
        assertTrue(out.toString().contains("\"auto\" \"uring\" \"epoll\" \"nio\""), out::toString);
        assertTrue(out.toString().contains("\"same\" \"shared\" \"own\""), out::toString);
    }

    @Test
    void an_unknown_option_of_a_subcommand_ends_with_2_and_names_both() {
        assertEquals(2, run("generate-completion", "--no-such-option"));
        assertEquals("", out.toString());
        assertTrue(err.toString().startsWith("millrace generate-completion: "), err::toString);
        assertTrue(err.toString().contains("'--no-such-option'"), err::toString);
    }

    private int run(String... args) {
        return Main.commandLine(args)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}
