package io.millrace.lab;

import io.millrace.lab.Candidate.Kind;
import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Servers for HTTP/2 other than JVMs, one thread each, in clear text or over TLS as their site says: nginx, nghttpd,
/// and those of [References#ofHttp2].
final class Http2References {
    private static final String NGINX = """
            server {
                listen {address} {tls}http2 backlog=1024;
                {certificate}
                keepalive_timeout 1h;
                location = /plaintext {
                    return 200 "Hello, World!";
                }
            }
            """;

    private static final String CERTIFICATE = """
            ssl_certificate {identity}/chain.pem;
                ssl_certificate_key {identity}/key.pem;
                ssl_protocols TLSv1.2 TLSv1.3;""";

    private Http2References() {}

    static List<Candidate> of(Path home) {
        var ours = List.of(
                Candidate.needing(
                        "nginx",
                        Kind.ANY,
                        Nginx.find(home),
                        "no nginx on the PATH",
                        program -> site -> program.http("nginx", site.host(), nginx(site))),
                Candidate.needing(
                        "nghttpd",
                        Kind.ANY,
                        Programs.find("nghttpd"),
                        "no nghttpd on the PATH",
                        program -> site -> nghttpd(program, folder(home), site)));
        return Stream.concat(ours.stream(), References.ofHttp2(home).stream()).toList();
    }

    private static String nginx(PeerSite site) {
        return NGINX.replace("{tls}", site.isSecure() ? "ssl " : "")
                .replace("{certificate}", site.isSecure() ? site.fill(CERTIFICATE) : "");
    }

    private static Path folder(Path home) {
        return home.toAbsolutePath()
                .normalize()
                .resolve(".millrace")
                .resolve("floors")
                .resolve("nghttpd");
    }

    /// It serves files, and has one worker by default.
    private static ServerCommand nghttpd(Path program, Path folder, PeerSite site) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("plaintext"), "Hello, World!");
        int port = Catalogue.freePort();
        var words = new ArrayList<>(List.of(program.toString(), "-n", "1", "-a", site.host(), "-d", folder.toString()));
        if (!site.isSecure()) words.add("--no-tls");
        words.add(Integer.toString(port));
        if (site.isSecure()) words.addAll(List.of(site.fill("{identity}/key.pem"), site.fill("{identity}/chain.pem")));
        return new ServerCommand("nghttpd", words, Optional.of(new InetSocketAddress(site.host(), port)));
    }
}
