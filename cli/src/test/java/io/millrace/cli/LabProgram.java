package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.lab.report.Results;
import io.millrace.lab.report.ResultsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// The lab, run as a program.
final class LabProgram {
    static final String SHORT = "--connections 2 --rounds 2 --seconds 0.5 --warm-up 0.5";

    private LabProgram() {}

    /// What a run said and wrote.
    record Measured(String said, Results results) {
        void assertTwoRounds() {
            for (var cell : results.cells()) assertEquals(2, cell.validRounds().size(), cell::toString);
        }
    }

    /// Runs it to its end, which is without an error or a problem.
    static Measured measured(String options, Path folder) throws Exception {
        try (var lab = lab(options, folder)) {
            var said = String.join("\n", lab.rest());
            assertEquals(0, lab.exitCode(), () -> said + lab.err());
            var results = results(folder);
            assertEquals(List.of(), results.problems());
            return new Measured(said, results);
        }
    }

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
