package io.millrace.lab;

import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// HAProxy with one thread, in the foreground, with a configuration that is written on the spot.
final class Haproxy {
    private static final String MAIN = """
            global
                nbthread 1
                maxconn 4000
            defaults
                mode {mode}
                timeout connect 5s
                timeout client 1h
                timeout server 1h
            """;

    private final Path program;
    private final Path folder;

    private Haproxy(Path program, Path home) {
        this.program = program;
        this.folder = home.toAbsolutePath()
                .normalize()
                .resolve(".millrace")
                .resolve("floors")
                .resolve("haproxy");
    }

    /// Empty if it is not installed.
    static Optional<Haproxy> find(Path home) {
        return Programs.find("haproxy").map(program -> new Haproxy(program, home));
    }

    /// @param mode `tcp` or `http`
    /// @param sections its frontends and backends; `{address}` is where to listen
    ServerCommand command(String name, String mode, String host, String sections) throws IOException {
        int port = Catalogue.freePort();
        Files.createDirectories(folder);
        var configuration = folder.resolve(port + ".cfg");
        var text = (MAIN + sections).replace("{mode}", mode).replace("{address}", host + ":" + port);
        Files.writeString(configuration, text);
        configuration.toFile().deleteOnExit();
        var words = List.of(program.toString(), "-db", "-f", configuration.toString());
        return new ServerCommand(name, words, Optional.of(new InetSocketAddress(host, port)));
    }
}
