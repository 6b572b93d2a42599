package io.millrace.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.millrace.lab.process.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/// A run of a compiler.
final class Compilation {
    private static final Pattern ERROR = Pattern.compile("error(\\[\\w+])?:");

    private Compilation() {}

    /// Whether a program has to be compiled.
    ///
    /// @throws IOException with a sentence, when a source is missing
    static boolean isNeeded(Path binary, List<Path> sources) throws IOException {
        for (var source : sources) {
            if (!Files.exists(source)) throw new IOException("its source " + source + " is missing");
        }
        if (!Files.exists(binary)) return true;
        for (var source : sources) {
            if (isNewer(source, binary)) return true;
        }
        return false;
    }

    private static boolean isNewer(Path one, Path other) throws IOException {
        return Files.getLastModifiedTime(one).compareTo(Files.getLastModifiedTime(other)) > 0;
    }

    /// Runs a compiler to its end.
    ///
    /// @param name of the compiler, in sentences
    /// @param words its command
    /// @throws IOException with a sentence, when there is no such compiler, and with its first error when it fails
    static void run(String name, List<String> words, int patienceSeconds) throws IOException, InterruptedException {
        var process = begin(name, words);
        try {
            killAfter(process, patienceSeconds);
            var said = new ArrayList<String>();
            process.inputReader(UTF_8).lines().forEach(said::add);
            int exit = process.waitFor();
            if (exit != 0) throw new IOException("the " + name + " ended with " + exit + ": " + firstError(said));
        } finally {
            Children.kill(process);
        }
    }

    private static Process begin(String name, List<String> words) throws IOException {
        try {
            return start(words);
        } catch (IOException missing) {
            throw new IOException("there is no " + name + ": no " + words.getFirst() + " on the PATH", missing);
        }
    }

    private static String firstError(List<String> lines) {
        return lines.stream()
                .filter(line -> ERROR.matcher(line).find())
                .findFirst()
                .or(() -> lines.stream()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .findFirst())
                .orElse("it printed nothing");
    }

    /// What it says on standard error is read with what it says on standard output, and in English.
    static Process start(List<String> words) throws IOException {
        var builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        return Children.start(builder);
    }

    /// Ends the wait for its next line, too.
    static void killAfter(Process process, int seconds) {
        CompletableFuture.delayedExecutor(seconds, SECONDS).execute(() -> Children.kill(process));
    }
}
