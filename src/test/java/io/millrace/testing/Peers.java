package io.millrace.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Programs in other languages that tests talk to. Their libraries are installed once, into `target/peers`, by the
/// client of their registry. A test is skipped where that cannot be done, but not in CI.
public final class Peers {
    private static final Path ALL = Path.of("target", "peers").toAbsolutePath();

    private Peers() {}

    @FunctionalInterface
    private interface Installing {
        void into(Path folder) throws IOException, InterruptedException;
    }

    /// Python with these packages.
    public static Path python(String name, String... packages) throws IOException, InterruptedException {
        var program = program("python3");
        var folder = once(name, into -> {
            install(into, program, "-m", "venv", into.toString());
            install(into, with(List.of(into + "/bin/pip", "install", "-q"), packages));
        });
        return folder.resolve("bin/python");
    }

    /// A folder with packages of Python 2.7, whose installer makes no environments.
    public static Path python2(Path python, String name, String... packages) throws IOException, InterruptedException {
        var options = List.of(python.toString(), "-m", "pip", "install", "-q", "--no-compile", "--target");
        return once(name, into -> install(into, with(with(options, into.toString()), packages)));
    }

    /// The folder of modules of Node.js, for `NODE_PATH`.
    public static Path node(String name, String... packages) throws IOException, InterruptedException {
        var npm = program("npm");
        var options = List.of(npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix");
        var folder = once(name, into -> install(into, with(with(options, into.toString()), packages)));
        return folder.resolve("node_modules");
    }

    /// A program of one file in Go, compiled with a module.
    public static Path go(String name, String module, Path source) throws IOException, InterruptedException {
        var go = program("go");
        var folder = once(name, into -> {
            Files.copy(source, into.resolve("main.go"), StandardCopyOption.REPLACE_EXISTING);
            Files.deleteIfExists(into.resolve("go.mod"));
            install(into, go, "mod", "init", "peer");
            install(into, go, "get", module);
            install(into, go, "build", "-o", "program");
        });
        return folder.resolve("program");
    }

    /// Runs to the end, which has to be a good one.
    ///
    /// @return what was said
    public static String run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    /// A file beside a class, as one that other programs can open.
    public static Path file(Path folder, Class<?> beside, String name) {
        try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(name), name)) {
            var file = folder.resolve(name.substring(name.lastIndexOf('/') + 1));
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String program(String name) {
        return Machine.program(List.of(name))
                .orElseThrow(() -> Machine.lacks("there is no " + name + " on the PATH"))
                .toString();
    }

    /// A longer command.
    public static List<String> with(List<String> command, String... more) {
        var all = new ArrayList<>(command);
        all.addAll(List.of(more));
        return all;
    }

    /// By one process of those that share the folder; the others wait for it.
    private static synchronized Path once(String name, Installing how) throws IOException, InterruptedException {
        var folder = Files.createDirectories(ALL.resolve(name));
        var done = folder.resolve("installed");
        var lock = folder.resolve("lock");
        try (var channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            if (!Files.exists(done)) {
                how.into(folder);
                Files.createFile(done);
            }
        }
        return folder;
    }

    private static void install(Path folder, String... command) throws IOException, InterruptedException {
        install(folder, List.of(command));
    }

    private static void install(Path folder, List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) throw Machine.lacks(String.join(" ", command) + " failed: " + said);
    }
}
