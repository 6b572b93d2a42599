package io.millrace.lab;

import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// nginx with one worker, in the foreground, with a generated configuration: its defaults, except what would
/// end connections or write files.
final class Nginx {
    private static final String MAIN = """
            daemon off;
            worker_processes 1;
            worker_rlimit_nofile 65536;
            pid {port}.pid;
            error_log stderr crit;
            events {
                worker_connections 16384;
            }
            """;

    private static final String HTTP = """
            http {
                access_log off;
                default_type text/plain;
                keepalive_requests 1000000000;
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                {server}
            }
            """;

    private static final Pattern MODULES = Pattern.compile("--modules-path=(\\S+)");

    private final Path program;
    private final Path folder;

    /// Empty if it is not installed.
    static Optional<Nginx> find(Path home) {
        return Programs.find("nginx").map(program -> new Nginx(program, home));
    }

    private Nginx(Path program, Path home) {
        this.program = program;
        this.folder = home.toAbsolutePath()
                .normalize()
                .resolve(".millrace")
                .resolve("floors")
                .resolve("nginx");
    }

    /// @param server what stands in the block `http`; `{address}` is where to listen
    ServerCommand http(String name, String host, String server) throws IOException {
        return command(name, host, "", HTTP.replace("{server}", server));
    }

    /// Without HTTP.
    ///
    /// @param blocks the block `stream`; `{address}` is where to listen
    /// @param module from [#streamModule]
    ServerCommand stream(String name, String host, Path module, String blocks) throws IOException {
        var load = module.toString().isEmpty() ? "" : "load_module " + module + ";\n";
        return command(name, host, load, blocks);
    }

    private ServerCommand command(String name, String host, String before, String blocks) throws IOException {
        int port = Catalogue.freePort();
        Files.createDirectories(folder);
        var configuration = folder.resolve(port + ".conf");
        // Started by root it would give up its rights, and then could not read in a folder that is root's own.
        var user = System.getProperty("user.name", "").equals("root") ? "user root root;\n" : "";
        var text = (before + user + MAIN + blocks)
                .replace("{address}", host + ":" + port)
                .replace("{port}", Integer.toString(port));
        Files.writeString(configuration, text);
        configuration.toFile().deleteOnExit();
        var words = List.of(program.toString(), "-p", folder.toString(), "-c", configuration.toString());
        return new ServerCommand(name, words, Optional.of(new InetSocketAddress(host, port)));
    }

    /// The file of the stream module; an empty path if it is part of the program, and empty if there is none.
    Optional<Path> streamModule() {
        var built = Programs.output(List.of(program.toString(), "-V"));
        if (built.contains("--with-stream ") || built.stripTrailing().endsWith("--with-stream"))
            return Optional.of(Path.of(""));
        var modules = MODULES.matcher(built);
        return modules.find()
                ? Optional.of(Path.of(modules.group(1), "ngx_stream_module.so")).filter(Files::exists)
                : Optional.empty();
    }
}
