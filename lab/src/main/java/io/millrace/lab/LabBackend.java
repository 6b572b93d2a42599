package io.millrace.lab;

import io.millrace.lab.load.Page;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The server behind proxies: pages in files, served by nginx where it is installed, and otherwise by our own.
final class LabBackend {
    /// Idle connections have to live until the turn of their proxy comes again.
    private static final String SERVER = """
            sendfile on;
            tcp_nopush on;
            keepalive_timeout 1h;
            server {
                listen {address} backlog=1024;
                root {root};
            }
            """;

    private static final String OWN = "http --listen {host}:0 --loops 1 --root";

    private final Path folder;
    private final Optional<Nginx> nginx;

    private LabBackend(Path folder, Optional<Nginx> nginx) {
        this.folder = folder;
        this.nginx = nginx;
    }

    static LabBackend of(Path home) {
        var folder = home.toAbsolutePath().normalize().resolve(".millrace").resolve("pages");
        return new LabBackend(folder, Nginx.find(home));
    }

    /// What it is, in a word.
    String name() {
        return nginx.isPresent() ? "nginx" : "millrace http";
    }

    /// Makes the pages, for as long as they are wanted.
    void write(List<Integer> sizesBytes) throws IOException {
        Files.createDirectories(folder);
        for (int sizeBytes : sizesBytes) {
            Files.write(folder.resolve(Page.name(sizeBytes)), Page.content(sizeBytes));
        }
    }

    /// What starts one more of it.
    ///
    /// @param name what sentences call it
    ServerCommand command(String name, String host) throws IOException {
        if (nginx.isPresent()) return nginx.get().http(name, host, SERVER.replace("{root}", folder.toString()));
        var words = MeasuredPeer.words(OWN + " " + folder).stream()
                .map(word -> word.replace("{host}", host))
                .toList();
        return new ServerCommand(name, MeasuredPeer.own(MeasuredPeer.MAIN, words), Optional.empty());
    }
}
