package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A program in a process of its own, which ends when this is closed.
final class Program implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private Program(Process process) {
        this.process = process;
        this.out = process.inputReader(UTF_8);
    }

    static Program start(Row row, Side side, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(side == Side.GO ? List.of(GoPrograms.of(row)) : java(row.mainClass(side)));
        command.addAll(List.of(arguments));
        // The log helps to find why a test fails.
        var log = Path.of("target", "logs", row.folder() + "-" + side.prefix + ".log");
        log.getParent().toFile().mkdirs();
        return new Program(
                new ProcessBuilder(command).redirectError(log.toFile()).start());
    }

    private static List<String> java(String mainClass) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                mainClass);
    }

    /// The next line on standard output.
    String line() throws IOException {
        var line = out.readLine();
        assertTrue(
                line != null, () -> "it ended with " + process.onExit().join().exitValue() + ": see target/logs");
        return line;
    }

    /// Its URI, once it serves.
    String uri() throws IOException {
        return "http://127.0.0.1:" + Integer.parseInt(line());
    }

    /// Presses Enter.
    void enter() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
