package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The programs in Go, compiled once by the tool that is installed. Without one, or with one that is older than they
/// are, their tests are skipped; in CI they fail without one.
final class GoPrograms {
    private static final Path BUILT = Path.of("target", "go").toAbsolutePath();

    /// The first with patterns of methods in `http.ServeMux`.
    private static final int LEAST_MINOR = 22;

    /// Without optimization: where nothing is cached the library is compiled, too.
    static final String QUICKLY = "-gcflags=all=-N -l";

    private static boolean isBuilt;

    private GoPrograms() {}

    static synchronized String of(Row row) throws IOException, InterruptedException {
        if (!isBuilt) run("go", "build", QUICKLY, "-o", BUILT + "/", "./...");
        isBuilt = true;
        return BUILT.resolve(row.folder()).toString();
    }

    /// Runs a tool of Go where the sources are.
    ///
    /// @return what it says, which is all that it says when it fails
    static String run(String tool, String... arguments) throws IOException, InterruptedException {
        var program =
                Machine.program(List.of(tool)).orElseThrow(() -> Machine.lacks("there is no " + tool + " on the PATH"));
        checkVersion();
        return said(program.toString(), arguments);
    }

    private static void checkVersion() throws IOException, InterruptedException {
        var version = said("go", "env", "GOVERSION").strip();
        var minor = version.replaceFirst("^go1\\.(\\d+).*$", "$1");
        if (Integer.parseInt(minor) < LEAST_MINOR) {
            abort("the programs need Go 1." + LEAST_MINOR + ", and here is " + version);
        }
    }

    private static String said(String program, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(program));
        command.addAll(List.of(arguments));
        var builder =
                new ProcessBuilder(command).directory(Row.GO_SOURCES.toFile()).redirectErrorStream(true);
        // An older one would fetch a newer one.
        builder.environment().put("GOTOOLCHAIN", "local");
        // No compiler of C is needed.
        builder.environment().put("CGO_ENABLED", "0");
        var process = builder.start();
        try (var out = process.getInputStream()) {
            var said = new String(out.readAllBytes(), UTF_8);
            assertEquals(0, process.waitFor(), said);
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
