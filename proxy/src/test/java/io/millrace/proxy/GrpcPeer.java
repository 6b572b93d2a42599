package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A client or a server of gRPC, in Go: `src/test/go/grpcpeer`.
public final class GrpcPeer implements AutoCloseable {
    private static final Path SOURCES = Path.of("src", "test", "go", "grpcpeer").toAbsolutePath();
    private static final Path BUILT = Path.of("target", "grpcpeer").toAbsolutePath();

    private static boolean isBuilt;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private GrpcPeer(List<String> arguments) throws IOException {
        var command = new ArrayList<>(List.of(program().toString()));
        command.addAll(arguments);
        this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /// Built once, by the installed Go, which fetches gRPC's module.
    private static synchronized Path program() throws IOException {
        if (isBuilt) return BUILT;
        if (Machine.program(List.of("go")).isEmpty()) throw Machine.lacks("there is no go on the PATH");
        var builder = new ProcessBuilder("go", "build", "-o", BUILT.toString(), ".")
                .directory(SOURCES.toFile())
                .redirectErrorStream(true);
        // An older version would download a newer one, and no C compiler is needed.
        builder.environment().put("GOTOOLCHAIN", "local");
        builder.environment().put("CGO_ENABLED", "0");
        var building = builder.start();
        var said = new String(building.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (building.onExit().join().exitValue() != 0) throw Machine.lacks("go cannot build a peer of gRPC: " + said);
        isBuilt = true;
        return BUILT;
    }

    /// A server, whose first line is its port.
    public static GrpcPeer serve(Optional<PemFiles> files) throws IOException {
        var arguments = new ArrayList<>(List.of("serve"));
        files.ifPresent(its ->
                arguments.addAll(List.of(its.chain().toString(), its.key().toString())));
        return new GrpcPeer(arguments);
    }

    /// A client in the middle of a scenario.
    static GrpcPeer begin(int port, Optional<PemFiles> trusted, String... scenario) throws IOException {
        var arguments = new ArrayList<>(List.of(
                "ask", "" + port, trusted.map(its -> its.chain().toString()).orElse("-")));
        arguments.addAll(List.of(scenario));
        return new GrpcPeer(arguments);
    }

    /// What a client tells of a scenario.
    public static List<String> ask(int port, Optional<PemFiles> trusted, String... scenario) throws IOException {
        try (var client = begin(port, trusted, scenario)) {
            var said = client.out.lines().toList();
            assertEquals(0, client.process.onExit().join().exitValue(), () -> "it failed: " + said);
            return said;
        }
    }

    public String line() throws IOException {
        var line = out.readLine();
        if (line == null) throw new IOException("the peer has ended");
        return line;
    }

    /// The next line that begins so.
    String line(String beginning) throws IOException {
        var line = line();
        while (!line.startsWith(beginning)) line = line();
        return line;
    }

    void say(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
