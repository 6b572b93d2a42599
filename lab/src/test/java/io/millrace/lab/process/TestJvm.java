package io.millrace.lab.process;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command of a JVM of its own that runs a main class of these tests.
final class TestJvm {
    private TestJvm() {}

    static List<String> command(Class<?> main, Object... arguments) throws IOException {
        var classes = folderOf(Children.class) + ":" + folderOf(main);
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                TestJvm.class.desiredAssertionStatus() ? "-ea" : "-da",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                classes,
                main.getName()));
        for (var argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /// The folder on whose class path a class is.
    private static Path folderOf(Class<?> type) throws IOException {
        var file = type.getName().replace('.', '/') + ".class";
        var url = type.getClassLoader().getResource(file);
        if (url == null) {
            throw new IOException("there is no " + file + " on the class path");
        }
        var text = url.toString();
        return Path.of(URI.create(text.substring(0, text.length() - file.length())));
    }
}
