package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The rules of axe-core for pages that everyone can use, fetched once into `target`.
final class AxeCore {
    private static final String VERSION = "4.11.0";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "target", "axe-core-" + VERSION);

    private AxeCore() {}

    /// The script. Skips the test where npm is missing, or cannot fetch it.
    static String script() throws IOException, InterruptedException {
        var script = FOLDER.resolve("node_modules/axe-core/axe.min.js");
        if (!Files.exists(script)) fetch();
        return Files.readString(script);
    }

    private static void fetch() throws IOException, InterruptedException {
        var npm = Machine.program(List.of("npm"))
                .orElseThrow(() -> Machine.lacks("there is no npm on the PATH to fetch axe-core with"));
        Files.createDirectories(FOLDER);
        var log = FOLDER.resolve("npm.log");
        var process = new ProcessBuilder(
                        npm.toString(),
                        "install",
                        "--prefix",
                        FOLDER.toString(),
                        "--ignore-scripts",
                        "--no-audit",
                        "--no-fund",
                        "axe-core@" + VERSION)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!process.waitFor(PATIENCE)) process.destroyForcibly().waitFor();
        if (process.exitValue() != 0) abort("npm could not fetch axe-core " + VERSION + ": " + Files.readString(log));
    }
}
