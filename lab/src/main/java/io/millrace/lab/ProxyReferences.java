package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.DIRECT;
import static io.millrace.lab.Candidate.Kind.LAYER_4;
import static io.millrace.lab.Candidate.Kind.LAYER_7;

import io.millrace.lab.Candidate.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// References for proxies: nginx and HAProxy, with one worker or thread and persistent connections to the
/// backend, and the backend without a proxy.
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
                listen {address}{http2} backlog=1024;
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
            frontend clients
                bind {address}{http2} backlog 1024
                {option}
                default_backend pages
            backend pages
                {option}
                server page {backend}
            """;

    private final Optional<Nginx> nginx;
    private final Optional<Haproxy> haproxy;

    private ProxyReferences(Path home) {
        this.nginx = Nginx.find(home);
        this.haproxy = Haproxy.find(home);
    }

    static List<Candidate> of(Path home, LabBackend backend) {
        var references = new ProxyReferences(home);
        return List.of(
                new Candidate("direct", DIRECT, "", site -> backend.command("direct", site.host())),
                references.haproxy("haproxy-tcp", LAYER_4, "tcp", ""),
                references.haproxy("haproxy-tcp-splice", LAYER_4, "tcp", "option splice-auto"),
                references.nginxStream(),
                references.haproxy("haproxy-http", LAYER_7, "http", ""),
                references.nginxProxy(""));
    }

    /// Those that speak HTTP/2 with clients, by prior knowledge, and HTTP/1.1 with the backend.
    static List<Candidate> ofHttp2(Path home) {
        var references = new ProxyReferences(home);
        return List.of(
                references.haproxy("haproxy-http", LAYER_7, "http", "", " proto h2"), references.nginxProxy(" http2"));
    }

    /// @param http2 what switches that on for its listener; empty for HTTP/1.1
    private Candidate nginxProxy(String http2) {
        return Candidate.needing(
                "nginx-proxy",
                LAYER_7,
                nginx,
                "no nginx on the PATH",
                program -> site -> program.http(
                        "nginx-proxy",
                        site.host(),
                        PROXY_PASS.replace("{http2}", http2).replace("{backend}", site.backend())));
    }

    private Candidate nginxStream() {
        var module = nginx.flatMap(Nginx::streamModule);
        var missing = nginx.isEmpty() ? "no nginx on the PATH" : "nginx has no module stream; install it";
        return Candidate.needing(
                "nginx-stream",
                LAYER_4,
                module,
                missing,
                file -> site -> nginx.orElseThrow().stream(
                        "nginx-stream", site.host(), file, STREAM.replace("{backend}", site.backend())));
    }

    private Candidate haproxy(String name, Kind kind, String mode, String option) {
        return haproxy(name, kind, mode, option, "");
    }

    private Candidate haproxy(String name, Kind kind, String mode, String option, String http2) {
        return Candidate.needing(
                name,
                kind,
                haproxy,
                "no haproxy on the PATH",
                program -> site -> program.command(
                        name,
                        mode,
                        site.host(),
                        HAPROXY.replace("{http2}", http2)
                                .replace("{option}", option)
                                .replace("{backend}", site.backend())));
    }
}
