package io.millrace.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.millrace.lab.process.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Compiles the floors if there is a C compiler, and starts each once: only trying shows whether the kernel
/// allows io_uring.
public final class Floors {
    private static final int COMPILER_PATIENCE_SECONDS = 60;
    private static final int GREETING_PATIENCE_SECONDS = 10;

    private final Path sources;
    private final Path binaries;
    private final String compiler;

    Floors(Path home, String compiler) {
        sources = home.resolve("bench");
        binaries = home.resolve(".millrace").resolve("floors");
        this.compiler = compiler;
    }

    /// Every floor of echo servers, in the order of the tables. Compiles those whose source is newer than what was
    /// compiled before, so
    /// that the first call takes a second or two.
    ///
    /// @param home the folder that holds `bench` with their sources; what is compiled is kept in its `.millrace`
    public static List<Floor> compile(Path home) throws InterruptedException {
        return new Floors(home.toAbsolutePath().normalize(), "cc").all();
    }

    /// Those of broadcasts, in the same way: with a send for each message, and with one for what came together.
    static List<Floor> broadcast(Path home) throws InterruptedException {
        var floors = new Floors(home.toAbsolutePath().normalize(), "cc");
        return List.of(
                floors.floor("c-broadcast", "broadcast_epoll"),
                floors.floor("c-broadcast-together", "broadcast_epoll", "together"));
    }

    List<Floor> all() throws InterruptedException {
        return List.of(floor("c-epoll", "echo_epoll"), floor("c-io_uring", "echo_uring"));
    }

    private Floor floor(String name, String program, String... options) throws InterruptedException {
        try {
            var binary = compiled(program);
            hearGreeting(binary);
            var command = Stream.concat(Stream.of(binary.toString(), "{port}", "{host}"), Stream.of(options));
            return new Floor.Ready(name, command.toList());
        } catch (IOException absent) {
            return new Floor.Absent(name, String.valueOf(absent.getMessage()));
        }
    }

    private Path compiled(String program) throws IOException, InterruptedException {
        var source = sources.resolve(program + ".c");
        var binary = binaries.resolve(program);
        if (!Compilation.isNeeded(binary, List.of(source))) {
            return binary;
        }
        Files.createDirectories(binaries);
        // Two labs may compile at once, and one may still run what another replaces.
        var fresh = binaries.resolve(program + "." + ProcessHandle.current().pid());
        try {
            var words = List.of(compiler, "-O2", "-o", fresh.toString(), source.toString());
            Compilation.run("C compiler", words, COMPILER_PATIENCE_SECONDS);
            Files.move(fresh, binary, ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
        return binary;
    }

    private static void hearGreeting(Path binary) throws IOException, InterruptedException {
        var process = Compilation.start(List.of(binary.toString(), "0", "127.0.0.1"));
        try {
            Compilation.killAfter(process, GREETING_PATIENCE_SECONDS);
            var line = process.inputReader(UTF_8).readLine();
            if (line == null) {
                throw new IOException(binary + " printed nothing and ended with " + process.waitFor());
            }
            if (!line.startsWith("listening on ")) {
                throw new IOException(line);
            }
        } finally {
            Children.kill(process);
        }
    }
}
