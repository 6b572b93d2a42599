package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The programs in Go, compiled once by the tool that is installed. Without one their tests are skipped, and fail in
/// CI.
final class GoPrograms {
    private static final Path BUILT = Path.of("target", "go").toAbsolutePath();
    private static boolean isBuilt;

    private GoPrograms() {}

    static synchronized String of(Row row) throws IOException, InterruptedException {
        if (!isBuilt) run("go", "build", "-o", BUILT + "/", "./...");
        isBuilt = true;
        return BUILT.resolve(row.folder()).toString();
    }

    /// Runs a tool of Go where the sources are.
    ///
    /// @return what it says, which is all that it says when it fails
    static String run(String tool, String... arguments) throws IOException, InterruptedException {
        var program =
                Machine.program(List.of(tool)).orElseThrow(() -> Machine.lacks("there is no " + tool + " on the PATH"));
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .directory(Row.GO_SOURCES.toFile())
                .redirectErrorStream(true)
                .start();
        try (var out = process.getInputStream()) {
            var said = new String(out.readAllBytes(), UTF_8);
            assertEquals(0, process.waitFor(), said);
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
