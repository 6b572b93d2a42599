package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Programs of one file that no module has, and the build does not see: scripts run them from their source.
@Timeout(60)
@Tag("slow")
class ProgramsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").normalize();

    @TempDir
    private Path folder;

    static List<Path> programs() throws IOException {
        try (var bench = Files.list(ROOT.resolve("bench"));
                var launch = Files.list(ROOT.resolve("cli/src/launch"))) {
            return Stream.concat(bench, launch)
                    .filter(file -> file.toString().endsWith(".java"))
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void a_program_of_one_file_compiles(Path program) throws Exception {
        var javac = Path.of(System.getProperty("java.home"), "bin", "javac");
        var process = new ProcessBuilder(javac.toString(), "-d", folder.toString(), program.toString())
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
    }
}
