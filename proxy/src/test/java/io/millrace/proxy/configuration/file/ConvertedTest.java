package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Files with the names that keys had before.
class ConvertedTest {
    private static String converted(String text) {
        return ConfigurationFile.converted(Corpus.FOLDER, text, Corpus.ENVIRONMENT);
    }

    @Test
    void an_old_key_is_refused_with_its_new_name() {
        assertEquals(
                "proxy.yaml:4:1: drain: this key is called drain-timeout now: write that, or let millrace proxy --convert"
                        + " do it\n",
                Corpus.problems("""
                        listeners: {web: {address: ":80"}}
                        routes: {all: {respond: {}}}
                        # Time to end.
                        drain: 5s
                        """));
    }

    @Test
    void a_file_with_every_old_key_becomes_the_one_with_every_new_key() {
        assertEquals(Corpus.text("good/whole.yaml"), converted(Corpus.text("old/whole.yaml")));
    }

    @Test
    void everything_but_names_of_keys_stays() {
        var old = """
                # \ud83d\ude00 kept: drain
                listeners: {web: {address: ":80", "connections" : 5}}   # connections: 5
                routes: {all: {respond: {body: "drain: 1s"}}}
                'drain':   5s # drain
                """;
        var now = """
                # \ud83d\ude00 kept: drain
                listeners: {web: {address: ":80", "max-connections" : 5}}   # connections: 5
                routes: {all: {respond: {body: "drain: 1s"}}}
                'drain-timeout':   5s # drain
                """;
        assertEquals(now, converted(old));
        assertInstanceOf(
                CheckedFile.Good.class, ConfigurationFile.parse("proxy.yaml", Corpus.FOLDER, converted(old), Map.of()));
    }

    @Test
    void a_file_of_json_stays_one() {
        var now = converted("""
                {"listeners":{"web":{"address":":80","connections":5}},
                "routes":{"all":{"respond":{}}},"drain":"5s"}
                """);
        assertEquals("""
                {"listeners":{"web":{"address":":80","max-connections":5}},
                "routes":{"all":{"respond":{}}},"drain-timeout":"5s"}
                """, now);
        assertEquals("", Corpus.problems(now));
    }

    @Test
    void what_is_new_or_no_yaml_stays_as_it_is() {
        var whole = Corpus.text("good/whole.yaml");
        assertEquals(whole, converted(whole));
        assertEquals("a: [", converted("a: ["));
    }

    @Test
    void an_old_key_beside_its_new_one_is_left_to_the_reader() {
        var both = "listeners: {web: {address: ':80'}}\nroutes: {all: {respond: {}}}\ndrain: 1s\ndrain-timeout: 2s\n";
        var now = converted(both);
        assertTrue(Corpus.problems(now).contains("this key is here twice"), now);
    }
}
