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
    void without_arguments_it_says_what_it_takes_and_ends_with_2() {
        assertEquals(2, run());
        assertEquals("", out.toString());
        assertTrue(err.toString().lines().anyMatch(line -> line.startsWith("  proxy ")), err::toString);
    }

    @Test
    void help_is_an_option_and_what_people_type() {
        assertEquals(0, run("help"));
        assertTrue(out.toString().lines().anyMatch(line -> line.startsWith("  proxy ")), out::toString);
        out.getBuffer().setLength(0);
        assertEquals(0, run("help", "load", "tcp"));
        assertTrue(out.toString().contains("millrace load tcp"), out::toString);
    }

    @Test
    void a_file_that_is_not_there_is_told_without_java() {
        assertEquals(1, run("lab", "compare", "no-such-file.json", "b"));
        assertEquals("millrace lab compare: there is no file no-such-file.json\n", err.toString());
    }

    @Test
    void the_schema_of_the_proxy_is_that_of_its_module() {
        assertEquals(0, run("proxy", "--schema"));
        assertTrue(out.toString().startsWith("{"), out::toString);
        assertTrue(out.toString().contains("\"title\" : \"Millrace proxy\""), out::toString);
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
        var meant = Main.meant(args);
        return Main.commandLine(meant)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(meant);
    }
}
