package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Small programs of the system.
public final class Programs {
    /// Where programs for administrators are, which a PATH may lack.
    private static final List<String> MORE_FOLDERS = List.of("/usr/sbin", "/sbin");

    private Programs() {}

    /// A program on the PATH, or where those for administrators are.
    public static Optional<Path> find(String name) {
        var path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        return Stream.concat(Stream.of(path.split(File.pathSeparator, -1)), MORE_FOLDERS.stream())
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
                .findFirst();
    }

    /// What a program that ends soon prints on both of its outputs; empty when it cannot be run.
    public static String output(List<String> words) {
        try {
            var process = new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException gone) {
            return "";
        }
    }

    /// Runs one to its end, which is soon.
    ///
    /// @throws IOException with a sentence, when it fails
    static void run(List<String> words) throws IOException {
        var process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        try {
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException("\"" + String.join(" ", words) + "\" failed with " + code + ": " + said);
            }
        } catch (InterruptedException interrupted) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted in \"" + String.join(" ", words) + "\"");
        }
    }
}
