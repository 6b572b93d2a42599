package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.DIRECT;
import static io.millrace.lab.Candidate.Kind.LAYER_4;
import static io.millrace.lab.Candidate.Kind.LAYER_7;

import io.millrace.lab.Candidate.Kind;
import io.millrace.lab.Candidate.Recipe;
import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What proxies stand beside: nginx and HAProxy, with one worker or thread and connections to the backend that stay,
/// and the backend without any proxy.
final class ProxyReferences {
    /// Buffers that overflow would go through files.
    private static final String PROXY_PASS = """
            upstream backend {
                server {backend};
                keepalive 1024;
                keepalive_requests 1000000000;
                keepalive_timeout 1h;
            }
            keepalive_timeout 1h;
            server {
                listen {address} backlog=1024;
                location / {
                    proxy_pass http://backend;
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_max_temp_file_size 0;
                }
            }
            """;

    private static final String STREAM = """
            stream {
                server {
                    listen {address} backlog=1024;
                    proxy_pass {backend};
                    tcp_nodelay on;
                }
            }
            """;

    private static final String HAPROXY = """
            global
                nbthread 1
                maxconn 4000
            defaults
                mode {mode}
                timeout connect 5s
                timeout client 1h
                timeout server 1h
                {option}
            frontend clients
                bind {address} backlog 1024
                default_backend pages
            backend pages
                server page {backend}
            """;

    private final Path home;
    private final Optional<Nginx> nginx;
    private final Optional<Path> haproxy = Programs.find("haproxy");

    private ProxyReferences(Path home) {
        this.home = home.toAbsolutePath().normalize();
        this.nginx = Programs.find("nginx").map(program -> new Nginx(program, home));
    }

    static List<Candidate> of(Path home, Backend backend) {
        var references = new ProxyReferences(home);
        return List.of(
                new Candidate("direct", DIRECT, "", site -> backend.command("direct", site.host())),
                references.haproxy("haproxy-tcp", LAYER_4, "tcp", ""),
                references.haproxy("haproxy-tcp-splice", LAYER_4, "tcp", "option splice-auto"),
                references.nginxStream(),
                references.haproxy("haproxy-http", LAYER_7, "http", ""),
                references.nginxProxy());
    }

    private Candidate nginxProxy() {
        return candidate(
                "nginx-proxy",
                LAYER_7,
                nginx,
                "no nginx on the PATH",
                program -> site ->
                        program.http("nginx-proxy", site.host(), PROXY_PASS.replace("{backend}", site.backend())));
    }

    private Candidate nginxStream() {
        var module = nginx.flatMap(Nginx::streamModule);
        var missing = nginx.isEmpty() ? "no nginx on the PATH" : "nginx has no module stream; install it";
        return candidate(
                "nginx-stream",
                LAYER_4,
                module,
                missing,
                file -> site -> nginx.orElseThrow().stream(
                        "nginx-stream", site.host(), file, STREAM.replace("{backend}", site.backend())));
    }

    private Candidate haproxy(String name, Kind kind, String mode, String option) {
        return candidate(
                name,
                kind,
                haproxy,
                "no haproxy on the PATH",
                program -> site -> haproxy(program, name, site, mode, option));
    }

    private ServerCommand haproxy(Path program, String name, Site site, String mode, String option) throws IOException {
        int port = Catalogue.freePort();
        var folder = Files.createDirectories(home.resolve(".millrace/floors/haproxy"));
        var configuration = folder.resolve(port + ".cfg");
        var text = HAPROXY.replace("{mode}", mode)
                .replace("{option}", option)
                .replace("{address}", site.host() + ":" + port)
                .replace("{backend}", site.backend());
        Files.writeString(configuration, text);
        configuration.toFile().deleteOnExit();
        // In the foreground.
        var words = List.of(program.toString(), "-db", "-f", configuration.toString());
        return new ServerCommand(name, words, Optional.of(new InetSocketAddress(site.host(), port)));
    }

    private interface RecipeOf<T> {
        Recipe with(T found);
    }

    private static <T> Candidate candidate(
            String name, Kind kind, Optional<T> needed, String missing, RecipeOf<T> recipe) {
        if (needed.isPresent()) return new Candidate(name, kind, "", recipe.with(needed.get()));
        return new Candidate(name, kind, "is not available: " + missing, _ -> {
            throw new IOException(name + " is not available: " + missing);
        });
    }
}
