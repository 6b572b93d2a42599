package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.lab.report.Results;
import io.millrace.lab.report.ResultsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/// The lab, run as a program.
final class LabProgram {
    static final String SHORT = "--connections 2 --rounds 2 --seconds 0.5 --warm-up 0.5";

    private LabProgram() {}

    /// Writes what it finds into a folder.
    static Program lab(String options, Path folder) throws IOException {
        var words = Stream.concat(Stream.of("lab"), Arrays.stream(options.split(" ", -1)));
        return Program.start(
                Stream.concat(words, Stream.of("--output", folder.toString())).toArray(String[]::new));
    }

    /// What the only run wrote.
    static Results results(Path folder) throws IOException {
        return ResultsFile.read(only(folder, ".json"));
    }

    /// The only file with this end.
    static Path only(Path folder, String end) throws IOException {
        try (var files = Files.list(folder)) {
            var found = files.filter(file -> file.toString().endsWith(end)).toList();
            assertEquals(1, found.size(), found::toString);
            return found.getFirst();
        }
    }
}
