package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The launcher of the runtime image, with a Java that only says how it was called, a word on each line.
@Timeout(120)
@Tag("slow")
@DisabledOnOs(OS.WINDOWS)
class ImageLauncherTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final List<String> PROGRAM = List.of("-m", "io.millrace.cli/io.millrace.cli.Main");

    @TempDir
    private Path folder;

    private Path image;
    private Path launcher;

    @BeforeEach
    void there_is_an_image_in_a_folder_with_a_blank() throws IOException {
        image = folder.toRealPath().resolve("some where");
        var java = Files.createDirectories(image.resolve("runtime/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertTrue(java.toFile().setExecutable(true));
        launcher = Files.createDirectories(image.resolve("bin")).resolve("millrace");
        var dist = Path.of(System.getProperty("basedir", "."), "..", "dist");
        Files.copy(dist.resolve("millrace"), launcher);
        Files.copy(dist.resolve("memory.sh"), image.resolve("runtime/memory.sh"));
        assertTrue(launcher.toFile().setExecutable(true));
    }

    private static List<String> run(Path in, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        return run(0, in, environment, command);
    }

    private static List<String> run(int code, Path in, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeAll(
                        List.of("MILLRACE_AOT", "MILLRACE_JAVA_OPTS", "MILLRACE_MEMORY", "LC_ALL", "LC_CTYPE", "LANG"));
        builder.environment().putAll(environment);
        var process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(code, process.waitFor(), out);
        return out.lines().toList();
    }

    private List<String> started(String... arguments) {
        var all = new ArrayList<>(
                List.of("@" + image + "/runtime/jvm.flags", "-XX:AOTCache=" + image + "/runtime/millrace.aot"));
        all.addAll(PROGRAM);
        all.addAll(List.of(arguments));
        return all;
    }

    @Test
    void arguments_arrive_as_they_are() throws Exception {
        var run = run(folder, Map.of(), launcher.toString(), "load", "a b", "*", "");
        assertEquals(started("load", "a b", "*", ""), run);
    }

    @Test
    void links_lead_to_the_image() throws Exception {
        var bin = Files.createDirectories(folder.resolve("usr/bin"));
        Files.createSymbolicLink(bin.resolve("absolute"), launcher);
        Files.createSymbolicLink(folder.resolve("usr/relative"), Path.of("bin/absolute"));
        assertEquals(started(), run(folder, Map.of(), "usr/relative"));
    }

    @Test
    void its_own_folder_may_be_the_current_one() throws Exception {
        assertEquals(started(), run(image.resolve("bin"), Map.of(), "sh", "millrace"));
    }

    @Test
    void flags_of_the_environment_come_behind_those_of_the_image() throws Exception {
        var run = run(folder, Map.of("MILLRACE_JAVA_OPTS", "-Xmx1g  -Dname=*"), launcher.toString());
        assertEquals(List.of("-Xmx1g", "-Dname=*"), run.subList(2, run.size() - PROGRAM.size()));
    }

    /// Else the JVM would know no file whose name is not ASCII.
    @Test
    void without_a_locale_names_of_files_are_utf_8() throws Exception {
        Files.writeString(image.resolve("runtime/bin/java"), "#!/bin/sh\necho \"${LC_CTYPE-none}\"\n");
        assertEquals(List.of("C.UTF-8"), run(folder, Map.of(), launcher.toString()));
        assertEquals(List.of("none"), run(folder, Map.of("LANG", "de_DE.UTF-8"), launcher.toString()));
    }

    /// The sums of docs/install.md.
    @ParameterizedTest
    @CsvSource({"96m,17,11,12,14", "256m,104,68,16,16", "1g,478,318,64,64", "2G,1016,676,96,96"})
    void a_size_is_divided(String size, int heap, int buffers, int code, int classes) throws Exception {
        var flags = List.of(
                "-Xmx" + heap + "m",
                "-XX:MaxDirectMemorySize=" + buffers + "m",
                "-XX:ReservedCodeCacheSize=" + code + "m",
                "-XX:MaxMetaspaceSize=" + classes + "m");
        var run = run(folder, Map.of(), launcher.toString(), "--memory", size, "echo");
        assertEquals(flags, run.subList(2, run.size() - PROGRAM.size() - 1));
        assertEquals("echo", run.getLast());
        assertEquals(run, run(folder, Map.of(), launcher.toString(), "--memory=" + size, "echo"));
        assertEquals(run, run(folder, Map.of("MILLRACE_MEMORY", size), launcher.toString(), "echo"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "0m", "256", "256k", "1.5g", "-1m", "1mm", "99999999g", "256m -Xmx9g"})
    void what_is_no_size_is_refused(String size) throws Exception {
        assertEquals(
                List.of("millrace: --memory " + size + " is not a size: write it in MiB or GiB, as in 256m or 2g"),
                run(2, folder, Map.of(), launcher.toString(), "--memory", size, "echo"));
    }

    @Test
    void too_little_is_refused_with_the_least() throws Exception {
        assertEquals(
                List.of("millrace: --memory 95m is too little: a process needs 96m or more"),
                run(2, folder, Map.of(), launcher.toString(), "--memory", "95m", "echo"));
    }

    @Test
    void the_cache_can_be_left_out() throws Exception {
        var run = run(folder, Map.of("MILLRACE_AOT", "off"), launcher.toString());
        assertEquals(1 + PROGRAM.size(), run.size(), run::toString);
    }
}
