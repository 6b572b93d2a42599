package io.millrace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/// Where this module's files are, for tests about them.
final class Sources {
    /// The folder of the project's root.
    static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..").normalize();

    /// The folder of the package `io.millrace`.
    static final Path MILLRACE = ROOT.resolve(Path.of("core", "src", "main", "java", "io", "millrace"));

    private Sources() {}

    /// The modules that have main code.
    static List<Path> modules() throws IOException {
        try (var folders = Files.list(ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve(Path.of("src", "main", "java"))))
                    .sorted()
                    .toList();
        }
    }

    static List<Path> files() throws IOException {
        try (var files = Files.walk(MILLRACE)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
