package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.WITHOUT_BODIES;

import java.nio.file.Path;
import java.util.List;

/// Servers for HTTP over TLS other than JVMs, one thread each: nginx and HAProxy, which answer by themselves,
/// and Go's `net/http`.
final class TlsReferences {
    private static final String NGINX = """
            server {
                listen {address} ssl backlog=1024;
                ssl_certificate {identity}/chain.pem;
                ssl_certificate_key {identity}/key.pem;
                ssl_protocols TLSv1.2 TLSv1.3;
                keepalive_timeout 1h;
                location = /plaintext {
                    return 200 "Hello, World!";
                }
            }
            """;

    private static final String HAPROXY = """
            frontend clients
                bind {address} backlog 1024 ssl crt {identity}/both.pem ssl-min-ver TLSv1.2
                http-request return status 200 content-type text/plain string "Hello, World!" hdr Server haproxy hdr Date "%[date,http_date]" if { path /plaintext }
            """;

    private TlsReferences() {}

    static List<Candidate> of(Path home) {
        return List.of(
                Candidate.needing(
                        "nginx",
                        WITHOUT_BODIES,
                        Nginx.find(home),
                        "no nginx on the PATH",
                        program -> site -> program.http("nginx", site.host(), site.fill(NGINX))),
                Candidate.needing(
                        "haproxy",
                        WITHOUT_BODIES,
                        Haproxy.find(home),
                        "no haproxy on the PATH",
                        program -> site -> program.command("haproxy", "http", site.host(), site.fill(HAPROXY))),
                References.goOverTls(home));
    }
}
