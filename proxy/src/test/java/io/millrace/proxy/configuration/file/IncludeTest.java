package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Problem;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A configuration in several files.
class IncludeTest {
    private static final String LISTENERS = "listeners: {web: {address: '127.0.0.1:0'}}\n";

    @TempDir
    Path folder;

    private Path main;

    @BeforeEach
    void name() {
        main = folder.resolve("proxy.yaml");
    }

    private void write(String name, String text) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String answering(String... names) {
        return List.of(names).stream()
                .map(name -> name + ": {match: {path: /" + name + "}, respond: {status: 204}}")
                .collect(Collectors.joining(", ", "routes: {", "}\n"));
    }

    private CheckedFile read() {
        return ConfigurationFile.read(main, Map.of("PART", "part"));
    }

    private Configuration good() {
        assertEquals("", problems());
        return assertInstanceOf(CheckedFile.Good.class, read()).configuration();
    }

    private String problems() {
        if (!(read() instanceof CheckedFile.Bad bad)) return "";
        return bad.problems().stream()
                .map(Problem::toString)
                .collect(Collectors.joining("\n"))
                .replace(folder + "/", "");
    }

    @Test
    void the_sections_of_all_files_are_one_configuration() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [part.yaml, sub/more.yaml]\n");
        write("part.yaml", answering("two") + "upstreams: {app: {endpoints: ['10.0.0.1:80']}}\n");
        write("sub/more.yaml", "listeners: {admin: {address: '[::1]:0'}}\ndrain-timeout: 5s\n");
        var configuration = good();
        assertEquals(Set.of("web", "admin"), configuration.listeners().keySet());
        assertEquals(Set.of("one", "two"), configuration.routes().keySet());
        assertEquals(Set.of("app"), configuration.upstreams().keySet());
        assertEquals(5, configuration.drain().toSeconds());
    }

    @Test
    void names_of_files_are_relative_to_the_file_that_they_are_in() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [sub/part.yaml]\n");
        write("sub/part.yaml", "include: [deeper/part.yaml]\n");
        write("sub/deeper/part.yaml", "upstreams: {app: {endpoints-file: backends}}\n");
        write("sub/deeper/backends", "10.0.0.1:80\n");
        assertTrue(good().upstreams().containsKey("app"));
    }

    @Test
    void a_star_is_for_all_files_of_such_names_and_for_none() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: ['sub/*.yaml', 'sub/*.yml']\n");
        write("sub/b.yaml", answering("two"));
        write("sub/a.yaml", answering("three"));
        write("sub/c.old", answering("four"));
        assertEquals(Set.of("one", "two", "three"), good().routes().keySet());
        var files = read().files();
        assertEquals(
                List.of("a.yaml", "b.yaml", "*.yaml", "*.yml"),
                files.stream().map(file -> file.getFileName().toString()).toList());
    }

    @Test
    void a_name_may_have_a_variable() throws IOException {
        write("proxy.yaml", LISTENERS + "include: ['${PART}.yaml']\n");
        write("part.yaml", answering("one"));
        assertEquals(Set.of("one"), good().routes().keySet());
    }

    @Test
    void a_problem_names_the_file_that_it_is_in() throws IOException {
        write("proxy.yaml", LISTENERS + "drain-timeout: 5\n" + answering("one") + "include: [part.yaml]\n");
        write("part.yaml", "routes:\n  two: {respond: {status: 9}}\n");
        assertEquals("""
                proxy.yaml:2:16: drain-timeout: '5' is a number: write a duration like 5s
                part.yaml:2:27: routes.two.respond.status: '9' is out of range: take 200 to 599""", problems());
    }

    @Test
    void a_name_or_another_section_that_two_files_have_is_refused() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "drain-timeout: 5s\ninclude: [part.yaml]\n");
        write("part.yaml", answering("one") + "drain-timeout: 6s\n");
        assertEquals("""
                part.yaml:1:10: routes.one: this key is in proxy.yaml, too: leave one of them out
                part.yaml:2:1: drain-timeout: this key is in proxy.yaml, too: leave one of them out""", problems());
    }

    @Test
    void a_circle_is_refused_and_named() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [a.yaml]\n");
        write("a.yaml", "include: [sub/b.yaml]\n");
        write("sub/b.yaml", "include: [../a.yaml]\n");
        assertEquals(
                "sub/b.yaml:1:11: include[0]: the files include each other (a.yaml → b.yaml → a.yaml):"
                        + " leave one of these lines out",
                problems());
    }

    @Test
    void a_file_that_is_included_twice_is_refused() throws IOException {
        write("proxy.yaml", LISTENERS + "include: [part.yaml, part.yaml]\n");
        write("part.yaml", answering("one"));
        assertEquals(
                "proxy.yaml:2:22: include[1]: 'part.yaml' is included already: leave one of these lines out",
                problems());
    }

    @Test
    void eight_levels_are_read_and_a_ninth_is_refused() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [1.yaml]\n");
        for (int level = 1; level < 8; level++) write(level + ".yaml", "include: [" + (level + 1) + ".yaml]\n");
        write("8.yaml", answering("two"));
        assertEquals(Set.of("one", "two"), good().routes().keySet());
        write("8.yaml", "include: [9.yaml]\n");
        write("9.yaml", answering("two"));
        assertEquals("8.yaml:1:11: include[0]: more than 8 levels of files: include fewer", problems());
    }

    @Test
    void more_files_than_256_are_refused() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: ['many/*']\n");
        for (int i = 0; i < 256; i++) write("many/" + i, "routes: {}\n");
        assertEquals("", problems());
        write("many/256", "routes: {}\n");
        assertEquals("proxy.yaml:3:11: include[0]: more than 256 files: include fewer", problems());
    }

    @Test
    void a_file_that_cannot_be_used_is_told_where_it_is_included() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [none.yaml, list.yaml, broken.yaml]\n");
        write("list.yaml", "[a, b]\n");
        write("broken.yaml", "routes: {\n");
        var lines = problems().lines().toList();
        assertEquals(3, lines.size(), lines::toString);
        assertTrue(
                lines.get(0).startsWith("proxy.yaml:3:11: include[0]: 'none.yaml': it cannot be read ("), lines.get(0));
        assertEquals(
                "proxy.yaml:3:22: include[1]: 'list.yaml' has no sections: write listeners, routes or upstreams there",
                lines.get(1));
        assertTrue(lines.get(2).startsWith("broken.yaml:2:1: it is not YAML"), lines.get(2));
    }

    @Test
    void a_star_alone_is_special_and_hidden_files_and_folders_are_left_out() throws IOException {
        write("proxy.yaml", LISTENERS + "include: ['[eu]{a?*.yaml']\n");
        write("[eu]{a?1.yaml", answering("one"));
        write(".[eu]{a?2.yaml", "no YAML: [");
        write("[eu]{a?3.yaml/x", "");
        assertEquals(Set.of("one"), good().routes().keySet());
    }

    @Test
    void a_file_behind_a_link_is_watched_by_the_name_of_the_link() throws IOException {
        write("proxy.yaml", LISTENERS + "include: [current/part.yaml]\n");
        write("releases/41/part.yaml", answering("one"));
        Files.createSymbolicLink(folder.resolve("current"), Path.of("releases/41"));
        assertEquals(Set.of("one"), good().routes().keySet());
        assertEquals(List.of(folder.resolve("current/part.yaml")), read().files());
    }

    @Test
    void a_name_that_is_no_file_is_refused() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [/, 7]\n");
        assertEquals("""
                proxy.yaml:3:11: include[0]: '/' is not a file name: name a file
                proxy.yaml:3:14: include[1]: '7' is a number to YAML: put it in quotes""", problems());
    }

    @Test
    void a_section_that_an_included_file_has_twice_is_refused() throws IOException {
        write("proxy.yaml", LISTENERS + answering("one") + "include: [part.yaml]\n");
        write("part.yaml", answering("two") + answering("three"));
        assertEquals("part.yaml:2:1: routes: this key is here twice: leave one of them out", problems());
    }

    @Test
    void messages_have_the_names_of_variables_and_not_their_values() throws IOException {
        write("proxy.yaml", LISTENERS + "include: ['${PART}s.yaml', '${PART}.yaml']\n");
        write("part.yaml", "routes: 5\n");
        assertTrue(problems().contains("'${PART}s.yaml': it cannot be read"), this::problems);
        assertTrue(problems().contains("${PART}.yaml:1:9: routes: "), this::problems);
    }
}
