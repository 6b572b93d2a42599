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
        Files.copy(Path.of(System.getProperty("basedir", "."), "..", "dist", "millrace"), launcher);
        assertTrue(launcher.toFile().setExecutable(true));
    }

    private static List<String> run(Path in, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("MILLRACE_AOT", "MILLRACE_JAVA_OPTS"));
        builder.environment().putAll(environment);
        var process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
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

    @Test
    void the_cache_can_be_left_out() throws Exception {
        var run = run(folder, Map.of("MILLRACE_AOT", "off"), launcher.toString());
        assertEquals(1 + PROGRAM.size(), run.size(), run::toString);
    }
}
