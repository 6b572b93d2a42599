package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The launcher in a folder of its own, with a JDK that only says how it was called.
@Timeout(120)
@Tag("slow")
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String JAVA = """
            #!/bin/sh
            for flag in "$@"; do
                case $flag in -XX:AOTCacheOutput=*) echo cache >"${flag#*=}" ;; esac
            done
            echo "$@"
            """;
    private static final String CACHE = "-XX:AOTCache=";

    @TempDir
    private Path folder;

    private Path root;
    private Path kept;

    private record Run(int code, String out, String err) {}

    @BeforeEach
    void there_is_something_built() throws IOException {
        root = Files.createDirectories(folder.resolve("root"));
        kept = root.resolve(".millrace");
        Files.createDirectories(kept.resolve("lib"));
        Files.createDirectories(root.resolve("cli/src/main"));
        Files.writeString(root.resolve("pom.xml"), "");
        Files.writeString(root.resolve("cli/pom.xml"), "");
        Files.copy(Path.of(System.getProperty("basedir", "."), "..", "millrace"), root.resolve("millrace"));
        Files.writeString(kept.resolve("built"), "");
        Files.setLastModifiedTime(kept.resolve("built"), FileTime.fromMillis(System.currentTimeMillis() + 60_000));
        var bin = Files.createDirectories(folder.resolve("jdk/bin"));
        for (var name : List.of("java", "javac")) {
            Files.writeString(bin.resolve(name), JAVA);
            assertTrue(bin.resolve(name).toFile().setExecutable(true));
        }
        jdk("25.0.1");
    }

    private void jdk(String version) throws IOException {
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
    }

    /// Nobody can write into what is no file, whoever runs the test.
    private void nobodyMayWrite() throws IOException {
        Files.deleteIfExists(kept.resolve("lock"));
        Files.createDirectories(kept.resolve("lock"));
    }

    private Run run(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("bash", root.resolve("millrace").toString()));
        command.addAll(List.of(arguments));
        var err = folder.resolve("err");
        var builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().put("MILLRACE_JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().keySet().removeAll(List.of("MILLRACE_AOT", "MILLRACE_JAVA_OPTS"));
        var process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out, Files.readString(err));
    }

    private static void assertStarts(Run run, boolean hasCache) {
        assertEquals(0, run.code, run.err);
        assertTrue(run.out.endsWith("-m io.millrace.cli/io.millrace.cli.Main doctor\n"), run.out);
        assertEquals(hasCache, run.out.contains(CACHE), run.out);
    }

    @Test
    void whoever_may_write_starts_with_a_cache() throws Exception {
        assertStarts(run("doctor"), true);
        assertTrue(Files.exists(kept.resolve("aot")));
    }

    @Test
    void whoever_may_not_write_starts_with_the_cache_that_is_there() throws Exception {
        run("doctor");
        nobodyMayWrite();
        var run = run("doctor");
        assertStarts(run, true);
        assertEquals("", run.err);
    }

    @Test
    void whoever_may_not_write_starts_without_a_cache_where_none_is() throws Exception {
        nobodyMayWrite();
        var run = run("doctor");
        assertStarts(run, false);
        assertEquals("", run.err);
    }

    @Test
    void whoever_may_not_write_starts_without_the_cache_of_another_jdk() throws Exception {
        run("doctor");
        jdk("25.0.2");
        nobodyMayWrite();
        var run = run("doctor");
        assertStarts(run, false);
        assertEquals("", run.err);
    }

    @Test
    void whoever_may_not_write_starts_what_is_built_when_sources_are_newer() throws Exception {
        Files.setLastModifiedTime(kept.resolve("built"), FileTime.fromMillis(0));
        nobodyMayWrite();
        var run = run("doctor");
        assertStarts(run, false);
        assertEquals(1, run.err.lines().count(), run.err);
        assertTrue(run.err.contains("starting what is built"), run.err);
    }

    @Test
    void whoever_may_not_write_is_told_so_when_nothing_is_built() throws Exception {
        Files.delete(kept.resolve("built"));
        nobodyMayWrite();
        var run = run("doctor");
        assertEquals(1, run.code);
        assertEquals("", run.out);
        assertEquals(1, run.err.lines().count(), run.err);
        assertTrue(run.err.contains("as a user who can"), run.err);
    }

    @Test
    void help_of_the_lab_builds_no_peers() throws Exception {
        var run = run("lab", "pingpong", "--help");
        assertEquals(0, run.code, run.err);
        assertFalse(run.err.contains("peers"), run.err);
    }
}
