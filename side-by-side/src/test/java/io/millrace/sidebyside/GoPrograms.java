package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The programs in Go, compiled once by the installed Go. Without Go, or with a version that is too old, their
/// tests are skipped; in CI they fail without Go.
final class GoPrograms {
    private static final Path BUILT = Path.of("target", "go").toAbsolutePath();

    /// The first version with methods in the patterns of `http.ServeMux`.
    private static final int LEAST_MINOR = 22;

    /// Without optimization: if nothing is cached the library is compiled, too.
    static final String QUICKLY = "-gcflags=all=-N -l";

    private static boolean isBuilt;

    private GoPrograms() {}

    static synchronized String of(Row row) throws IOException, InterruptedException {
        if (!isBuilt) run("go", "build", QUICKLY, "-o", BUILT + "/", "./...");
        isBuilt = true;
        return BUILT.resolve(row.folder()).toString();
    }

    /// Runs a Go tool in the sources' folder.
    ///
    /// @return its output; a failure has all of it
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
        // An older version would download a newer one.
        builder.environment().put("GOTOOLCHAIN", "local");
        // No C compiler is needed.
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
