package io.millrace.examples;

import io.millrace.testing.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A PostgreSQL of Debian's packages, with data of its own, that asks for a password.
final class Postgres implements AutoCloseable {
    private static final Path PACKAGES = Path.of("/usr/lib/postgresql");
    private static final String PASSWORD = "secret";

    private final Path folder;
    private final int port;
    private final Process server;

    private Postgres(Path programs) throws IOException, InterruptedException {
        folder = Files.createTempDirectory("postgres");
        port = Machine.freePort();
        var password = Files.writeString(folder.resolve("password"), PASSWORD);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        var data = folder.resolve("data").toString();
        run(programs.resolve("initdb"), "-D", data, "-U", "test", "-A", "scram-sha-256", "--pwfile=" + password);
        server = start(
                programs.resolve("postgres"),
                List.of("-D", data, "-h", "127.0.0.1", "-p", "" + port, "-k", folder.toString(), "-F"));
    }

    /// Aborts the test where there is none, and fails it in CI.
    static Postgres start() throws IOException, InterruptedException {
        var programs = programs();
        if (programs.isPresent()) return new Postgres(programs.get());
        throw Machine.lacks("no PostgreSQL in " + PACKAGES + ": install the package postgresql");
    }

    private static Optional<Path> programs() throws IOException {
        if (!Files.isDirectory(PACKAGES)) return Optional.empty();
        try (var versions = Files.list(PACKAGES)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("postgres")))
                    .max(Comparator.naturalOrder());
        }
    }

    /// For the driver.
    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=test&password=" + PASSWORD;
    }

    private void run(Path program, String... arguments) throws IOException, InterruptedException {
        int code = start(program, List.of(arguments)).waitFor();
        if (code != 0) throw new IOException(program + " ended with " + code);
    }

    /// It refuses to be root.
    private Process start(Path program, List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        if (System.getProperty("user.name").equals("root")) command.addAll(List.of("runuser", "-u", "postgres", "--"));
        command.add(program.toString());
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Override
    public void close() {
        try {
            // At once; what is in the data is not needed any more.
            server.descendants().forEach(ProcessHandle::destroy);
            server.destroy();
            if (!server.waitFor(10, TimeUnit.SECONDS)) server.destroyForcibly();
            try (var paths = Files.walk(folder)) {
                for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
