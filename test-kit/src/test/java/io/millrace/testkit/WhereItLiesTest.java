package io.millrace.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Tcp;
import io.millrace.http.Request;
import io.millrace.sim.Simulation;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// An artifact for tests comes to lie wherever a build tool puts it.
class WhereItLiesTest {
    private static final List<Class<?>> PRODUCTION = List.of(Tcp.class, Request.class);

    @Test
    void on_the_class_path_with_everything_else() throws Exception {
        assertRuns(List.of("-cp", path(Tcp.class, Request.class, Simulation.class, EchoProgram.class)));
    }

    @Test
    void on_the_module_path_with_everything_else() throws Exception {
        assertRuns(List.of(
                "-p", path(Tcp.class, Request.class, Simulation.class),
                "--add-modules", "io.millrace.test",
                "-cp", path(EchoProgram.class)));
    }

    /// As Maven runs the tests of a module that requires `io.millrace.http`.
    @Test
    void on_the_class_path_while_the_rest_are_modules() throws Exception {
        assertRuns(List.of(
                "-p", path(PRODUCTION.toArray(Class<?>[]::new)),
                "--add-modules", "io.millrace.http",
                "-cp", path(Simulation.class, EchoProgram.class)));
    }

    private static void assertRuns(List<String> paths) throws Exception {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(paths);
        command.add(EchoProgram.class.getName());
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertEquals(
                List.of("hello", "hello"), said.lines().filter("hello"::equals).toList(), said);
    }

    private static String path(Class<?>... anyOfEach) {
        return Stream.of(anyOfEach).map(WhereItLiesTest::place).collect(Collectors.joining(File.pathSeparator));
    }

    private static String place(Class<?> type) {
        return Path.of(java.net.URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }
}
