package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.filter.Networks;
import io.millrace.http.server.Http;
import io.millrace.net.TlsError;
import io.millrace.proxy.ProxyProtocol;
import io.millrace.proxy.RawClient;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A proxy that ends TLS, speaks it with backends, and passes it on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyTlsTest {
    @TempDir
    private static Path folder;

    private static PemFiles front;
    private static PemFiles admin;
    private static PemFiles backend;
    private static EventLoops loops;

    /// Plain, and with TLS: they say what they were told.
    private static Server plain;

    private static Server secure;

    @BeforeAll
    static void there_are_backends() throws IOException {
        front = PemFiles.make(folder, "front", "front.test", "127.0.0.1");
        admin = PemFiles.make(folder, "admin", "admin.test", "*.wild.test");
        backend = PemFiles.make(folder, "backend", "backend.test", "127.0.0.1");
        loops = EventLoops.configure().threads(1).start();
        plain = backend(free());
        secure = backend(
                free().through(Tls.server(backend.chain(), backend.key()).wanting(chain(front))));
    }

    @AfterAll
    static void they_end() {
        for (var server : new Server[] {plain, secure}) server.close();
        loops.close();
        for (var counters : loops.counters()) assertEquals(0, counters.slabBytesInUse());
    }

    private static List<X509Certificate> chain(PemFiles of) {
        return TlsIdentity.certificates(of.chain());
    }

    private static Listen free() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    private static Server backend(Listen listen) {
        return Http.listen(
                listen,
                request -> Response.ok(String.join(
                        " ",
                        request.header("X-Forwarded-Proto").orElse("-"),
                        request.header("Client-Cert").orElse("-"),
                        request.security()
                                .map(its -> its.serverName().orElse("-") + " "
                                        + its.peerCertificates().size())
                                .orElse("plain"))));
    }

    private static String listener(String more) {
        return """
                listeners:
                  web:
                    address: 127.0.0.1:0
                %s
                routes:
                  all: {upstream: app}
                runtime: {loops: 1}
                """.formatted(more.indent(4));
    }

    private static String upstream(String name, Server server, String more) {
        return "  %s: {endpoints: ['127.0.0.1:%d']%s}\n".formatted(name, server.port(), more);
    }

    private static String toPlain(String tls) {
        return listener(tls) + "upstreams:\n" + upstream("app", plain, "");
    }

    private static String certificate(PemFiles files, String more) {
        return "{chain: %s, key: %s%s}".formatted(files.chain(), files.key(), more);
    }

    private static TlsClient trusting(PemFiles files, String name) {
        return Tls.client(name).trusting(chain(files));
    }

    private static int port(ProxyService service) {
        return ((InetSocketAddress) service.addresses().getFirst()).getPort();
    }

    /// @param host whom the request is for
    private static Response ask(ProxyService service, TlsClient tls, String host) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port(service));
        try (var client = HttpClient.of(ClientSettings.standard()
                .loops(loops)
                .connect(_ -> Connect.to(address).through(tls)))) {
            return client.send(Request.get("http://" + host + "/"));
        }
    }

    private static ProxyService serve(String text) throws IOException {
        return ProxyService.start(Serving.configuration(text));
    }

    // Where TLS ends.

    @Test
    void tls_ends_here_and_backends_hear_of_it() throws IOException {
        try (var service = serve(toPlain("tls: {certificates: [%s]}".formatted(certificate(front, ""))))) {
            var answer = ask(service, trusting(front, "front.test").speaking("http/1.1"), "front.test");
            assertEquals("https - plain", answer.text());
        }
    }

    @Test
    void a_name_of_nobody_has_a_certificate_only_if_one_is_the_fallback() throws IOException {
        var both = "tls: {certificates: [%s, %s]}";
        var strict = both.formatted(certificate(front, ""), certificate(admin, ""));
        var lenient = both.formatted(certificate(front, ", fallback: true"), certificate(admin, ""));
        var anybody = Tls.client("unknown.test").insecurely();
        try (var service = serve(toPlain(strict))) {
            assertEquals(200, ask(service, trusting(admin, "a.wild.test"), "x").status());
            assertThrows(TlsError.class, () -> ask(service, anybody, "x"));
        }
        try (var service = serve(toPlain(lenient))) {
            assertEquals(200, ask(service, anybody, "x").status());
            assertEquals(200, ask(service, trusting(front, "127.0.0.1"), "x").status());
        }
    }

    @Test
    void who_the_client_is_reaches_the_backend() throws Exception {
        var tls = "tls: {clients: {authorities: %s, required: false}, certificates: [%s]}"
                .formatted(backend.chain(), certificate(front, ""));
        var client = TlsIdentity.pem(backend.chain(), backend.key());
        try (var service = serve(toPlain(tls))) {
            var known = trusting(front, "front.test").as(client).of("front.test");
            var encoded =
                    Base64.getEncoder().encodeToString(chain(backend).getFirst().getEncoded());
            assertEquals(
                    "https :" + encoded + ": plain",
                    ask(service, known, "front.test").text());
            assertEquals(
                    "https - plain",
                    ask(service, trusting(front, "front.test"), "front.test").text());
        }
    }

    @Test
    void nobody_says_himself_who_he_is() throws IOException {
        try (var service = serve(toPlain("max-connections: 100"));
                var client = new RawClient(port(service))) {
            var reply = client.send(
                            "GET / HTTP/1.1\r\nHost: a\r\nClient-Cert: :AAAA:\r\nClient-Cert-Chain: :AAAA:\r\n\r\n")
                    .read();
            assertEquals("http - plain", reply.text());
        }
    }

    @Test
    void a_host_with_rules_of_its_own_takes_a_connection_of_its_own() throws IOException {
        var tls = "tls: {certificates: [%s, %s]}"
                .formatted(
                        certificate(front, ""),
                        certificate(admin, ", clients: {authorities: %s}".formatted(backend.chain())));
        var client = TlsIdentity.pem(backend.chain(), backend.key());
        try (var service = serve(toPlain(tls))) {
            var open = trusting(front, "front.test");
            assertEquals(200, ask(service, open, "front.test").status());
            assertEquals(421, ask(service, open, "admin.test").status());
            assertEquals(421, ask(service, open, "ADMIN.test:443").status());
            assertThrows(IOException.class, () -> ask(service, trusting(admin, "admin.test"), "admin.test"));
            var known = trusting(admin, "admin.test").as(client).of("admin.test");
            assertEquals(200, ask(service, known, "admin.test").status());
        }
    }

    /// What a route takes for the host has the rules of the host.
    @Test
    void no_way_to_write_a_host_leads_around_its_rules() throws IOException {
        var tls = "tls: {certificates: [%s, %s]}"
                .formatted(
                        certificate(front, ", fallback: true"),
                        certificate(admin, ", clients: {authorities: %s}".formatted(backend.chain())));
        try (var service = serve(toPlain(tls))) {
            var open = trusting(front, "front.test");
            assertEquals(200, ask(service, open, "elsewhere.test").status());
            for (var host : new String[] {
                "admin.test", "admin.test.", "Admin.Test.:443", "a.wild.test", "a.b.wild.test", "a.b.wild.test."
            }) {
                var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port(service));
                try (var conn = Tcp.connect(Connect.to(address).loops(loops).through(open))) {
                    conn.output().writeUtf8("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
                    while (conn.read()) {
                        // until the end
                    }
                    assertTrue(conn.input().readUtf8(12).endsWith("421"), host);
                    conn.input().skip(conn.input().remaining());
                }
            }
        }
    }

    @Test
    void nobody_is_believed_about_certificates_whatever_is_believed_otherwise() throws IOException {
        for (var policy : new String[] {"append", "trust, trusted: [127.0.0.0/8]", "silent"}) {
            var forwarding =
                    policy.equals("silent") ? "forwarding: {fields: []}\n" : "forwarding: {policy: " + policy + "}\n";
            try (var service = serve(toPlain("max-connections: 100") + forwarding);
                    var client = new RawClient(port(service))) {
                var reply = client.send("GET / HTTP/1.1\r\nHost: a\r\nClient-Cert: :AAAA:\r\n\r\n")
                        .read();
                assertTrue(reply.text().endsWith(" - plain"), reply.text());
            }
        }
    }

    @Test
    void a_certificate_is_renewed_with_the_configuration() throws IOException {
        var files = new PemFiles(folder.resolve("renewed.pem"), folder.resolve("renewed-key.pem"));
        files.become(front);
        var text = toPlain("tls: {certificates: [%s]}".formatted(certificate(files, ", fallback: true")));
        var changes = new FileChanges(files.chain());
        try (var service = serve(text)) {
            changes.with(Serving.configuration(text).files());
            assertEquals(200, ask(service, trusting(front, "front.test"), "x").status());
            files.become(admin);
            // It counts when it has stayed for a look.
            assertFalse(changes.isChanged());
            assertTrue(changes.isChanged());
            service.reload(Serving.configuration(text));
            assertEquals(200, ask(service, trusting(admin, "admin.test"), "x").status());
        }
    }

    private static String problem(String text) {
        return switch (ConfigurationFile.parse("test.yaml", folder, text, Map.of())) {
            case CheckedFile.Good _ -> "";
            case CheckedFile.Bad bad -> bad.problems().toString();
        };
    }

    @Test
    void what_is_wrong_with_a_pair_is_a_problem_of_the_configuration() {
        var mixed = new PemFiles(front.chain(), admin.key());
        var said = problem(toPlain("tls: {certificates: [%s]}".formatted(certificate(mixed, ""))));
        assertTrue(said.contains("does not belong to the certificate"), said);
        assertTrue(said.contains("listeners.web.tls.certificates"), said);
        var two = "tls: {certificates: [%s, %s]}"
                .formatted(certificate(front, ", fallback: true"), certificate(admin, ", fallback: true"));
        assertTrue(problem(toPlain(two)).contains("two certificates are the fallback"));
        var twice = "tls: {certificates: [%s, %s]}".formatted(certificate(front, ""), certificate(front, ""));
        assertTrue(problem(toPlain(twice)).contains("two certificates are for front.test"));
    }

    @Test
    void tls_does_not_come_or_go_while_it_serves() throws IOException {
        var with = toPlain("tls: {certificates: [%s]}".formatted(certificate(front, "")));
        try (var service = serve(with)) {
            var address = "127.0.0.1:" + port(service);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> service.reload(Serving.configuration(toPlain("max-connections: 100"))));
            assertFalse(address.isEmpty());
        }
    }

    @Test
    void a_name_that_nobody_can_have_is_a_problem_of_the_configuration() {
        var unix = listener("max-connections: 100") + "upstreams:\n  app: {endpoints: ['unix:/tmp/x'], tls: {}}\n";
        assertTrue(problem(unix).contains("set the key name"), problem(unix));
        var named = unix.replace("tls: {}", "tls: {name: a.test}");
        assertEquals("", problem(named));
        var nobody = tunnel("server-names: {}", upstream("app", plain, ""));
        assertTrue(problem(nobody).contains("it is empty: add a name"), problem(nobody));
        var twice = tunnel("server-names: {a.test: app, A.test.: app}", upstream("app", plain, ""));
        assertTrue(problem(twice).contains("two names are a.test"), problem(twice));
    }

    // With backends.

    private static String toSecure(String tls) {
        return listener("max-connections: 100") + "upstreams:\n" + upstream("app", secure, ", tls: " + tls);
    }

    @Test
    void backends_speak_tls_and_are_who_they_should_be() throws IOException {
        assertAnswers("{authorities: %s}".formatted(backend.chain()), "http - - 0");
        assertAnswers("{authorities: %s, name: backend.test}".formatted(backend.chain()), "http - backend.test 0");
        assertAnswers("{verify: false}", "http - - 0");
        assertAnswers(
                "{authorities: %s, certificate: %s}".formatted(backend.chain(), certificate(front, "")), "http - - 1");
    }

    private static void assertAnswers(String tls, String text) throws IOException {
        try (var service = serve(toSecure(tls));
                var client = new RawClient(port(service))) {
            assertEquals(text, client.get("/").read().text());
        }
    }

    @Test
    void a_backend_that_is_somebody_else_is_not_asked() throws IOException {
        for (var tls : new String[] {
            "{}",
            "{authorities: %s, name: other.test}".formatted(backend.chain()),
            "{authorities: " + front.chain() + "}"
        }) {
            try (var service = serve(toSecure(tls));
                    var client = new RawClient(port(service))) {
                assertEquals(503, client.get("/").read().status());
            }
        }
    }

    @Test
    void health_is_checked_over_tls() throws Exception {
        var checked = "{authorities: %s}, health: {check: http, path: /, interval: 1s, initially-healthy: false}"
                .formatted(backend.chain());
        try (var service = serve(toSecure(checked));
                var client = new RawClient(port(service))) {
            // Nobody is asked before a check was good.
            while (client.get("/").read().status() != 200) Waiting.briefly();
        }
    }

    // Layer 4.

    private static String tunnel(String more, String upstreams) {
        return """
                listeners:
                  tunnel:
                    address: 127.0.0.1:0
                    layer: 4
                %s
                upstreams:
                %s
                runtime: {loops: 1}
                """.formatted(more.indent(4), upstreams);
    }

    @Test
    void tls_is_passed_on_by_the_name_that_is_asked_for() throws IOException {
        var names = tunnel(
                "server-names: {backend.test: app, '*.wild.test': nobody}",
                upstream("app", secure, "") + upstream("nobody", plain, ""));
        try (var service = serve(names)) {
            var answer = ask(service, trusting(backend, "backend.test"), "x");
            assertEquals("- - backend.test 0", answer.text());
            assertThrows(IOException.class, () -> ask(service, trusting(backend, "unknown.test"), "x"));
            // What is behind it speaks no TLS.
            assertThrows(IOException.class, () -> ask(service, trusting(backend, "a.wild.test"), "x"));
        }
    }

    @Test
    void who_asks_for_nobody_goes_where_the_others_go() throws IOException {
        var others = tunnel(
                "server-names: {other.test: other}\nupstream: app",
                upstream("app", secure, "") + upstream("other", plain, ""));
        try (var service = serve(others)) {
            assertEquals(
                    "- - - 0", ask(service, trusting(backend, "127.0.0.1"), "x").text());
        }
    }

    @Test
    void what_is_no_tls_is_refused() throws IOException {
        var names = tunnel("server-names: {backend.test: app}", upstream("app", secure, ""));
        try (var service = serve(names);
                var socket = new Socket(InetAddress.getLoopbackAddress(), port(service))) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            // An alert: decode_error.
            assertEquals(
                    "[21, 3, 3, 0, 2, 2, 50]",
                    Arrays.toString(socket.getInputStream().readAllBytes()));
        }
    }

    @Test
    void tls_ends_here_for_bytes_as_well_and_goes_on_to_the_backend() throws IOException {
        var tls = "tls: {certificates: [%s]}\nupstream: app".formatted(certificate(front, ""));
        var again = ", tls: {authorities: %s, name: backend.test}".formatted(backend.chain());
        for (var upstream : new String[] {upstream("app", plain, ""), upstream("app", secure, again)}) {
            try (var service = serve(tunnel(tls, upstream))) {
                var answer = ask(service, trusting(front, "front.test"), "x");
                assertTrue(answer.text().startsWith("- - "), answer.text());
            }
        }
    }

    @Test
    void the_backend_hears_whose_connection_it_is_in_front_of_tls() throws Exception {
        var told = new CompletableFuture<Optional<String>>();
        var trusted = ProxyProtocol.from(Networks.of("127.0.0.0/8"));
        var listen = free().through(trusted).through(Tls.server(backend.chain(), backend.key()));
        try (var announced = Tcp.serve(listen, conn -> {
            told.complete(conn.security().flatMap(its -> its.serverName()));
            conn.output().writeUtf8("hello");
        })) {
            var tls = ", send-proxy-protocol: 2, tls: {authorities: %s, name: backend.test}".formatted(backend.chain());
            try (var service = serve(tunnel("upstream: app", upstream("app", announced, tls)));
                    var socket = new Socket(InetAddress.getLoopbackAddress(), port(service))) {
                assertEquals("hello", new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                assertEquals(Optional.of("backend.test"), told.get(10, TimeUnit.SECONDS));
            }
        }
    }
}
