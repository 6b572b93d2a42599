package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Trust;
import io.millrace.testing.Waiting;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// What ours of `docs/migrating.md` do that were nginx's.
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MigratedFromNginxTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String SHOP = "A single-page application with an API";
    private static final String FORGE = "A forge with escaped slashes in its paths";
    private static final String UPLOADS = "Uploads of 2 GiB";
    private static final String MAINTENANCE = "A maintenance page";
    private static final long MIB = 1L << 20;

    private final EventLoops loops = EventLoops.of(1);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        loops.close();
    }

    /// It says the path that it got, and the client's address.
    private Server backend() {
        var at = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
        return Http.listen(
                at,
                request -> Response.ok(
                        request.path() + " for " + request.header("X-Real-IP").orElse("nobody")));
    }

    private static String address(Server server) {
        return "127.0.0.1:" + server.port();
    }

    private void write(String file, String text) throws IOException {
        var path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private MigratedProxy shop(Server first, Server second) throws IOException {
        write("dist/index.html", "<title>shop</title>");
        write("dist/.env", "secret");
        write("dist/assets/app.js", "let a = 1;\n".repeat(1000));
        return MigratedProxy.start(
                folder, SHOP, Map.of("10.0.0.1:8080", address(first), "10.0.0.2:8080", address(second)));
    }

    @Test
    void a_deep_link_gets_the_page_of_the_application_and_a_missing_asset_gets_404() throws Exception {
        try (var first = backend();
                var second = backend();
                var proxy = shop(first, second)) {
            var page = proxy.ask("GET /app/deep/link HTTP/1.1", "Host: shop.example.org");
            assertEquals("200 <title>shop</title>", page.status() + " " + page.body());
            assertEquals("no-cache", page.field("Cache-Control"));
            assertEquals(
                    404, proxy.ask("GET /assets/old.js HTTP/1.1", "Host: a").status());
            assertEquals(404, proxy.ask("GET /.env HTTP/1.1", "Host: a").status());
        }
    }

    @Test
    void an_asset_is_compressed_and_kept_by_browsers() throws Exception {
        try (var first = backend();
                var second = backend();
                var proxy = shop(first, second)) {
            var asset = proxy.ask("GET /assets/app.js HTTP/1.1", "Host: a", "Accept-Encoding: gzip");
            assertEquals("gzip", asset.field("Content-Encoding"));
            assertEquals("Accept-Encoding", asset.field("Vary"));
            assertEquals("max-age=31536000, immutable", asset.field("Cache-Control"));
            assertTrue(asset.body().length() < 1000, asset::body);
        }
    }

    @Test
    void the_api_gets_paths_without_their_prefix_and_the_address_of_the_client() throws Exception {
        try (var first = backend();
                var second = backend();
                var proxy = shop(first, second)) {
            assertEquals(
                    "/rooms/7 for 127.0.0.1",
                    proxy.ask("GET /api/rooms/7 HTTP/1.1", "Host: a", "X-Real-IP: 10.9.9.9")
                            .body());
            assertEquals(
                    "<title>shop</title>",
                    proxy.ask("GET /apis HTTP/1.1", "Host: a").body());
        }
    }

    private MigratedProxy forge(PemFiles certificate) throws IOException {
        assertEquals(folder.resolve("git.pem"), certificate.chain());
        write("pages/502.html", "the forge rests");
        return MigratedProxy.start(folder, FORGE, Map.of("/run/forge", folder.toString()));
    }

    private static SSLSocket secure(MigratedProxy proxy, PemFiles trusted, String... protocols) throws Exception {
        var context = Trust.in(TlsIdentity.certificates(trusted.chain()).getFirst());
        var socket =
                (SSLSocket) context.getSocketFactory().createSocket(proxy.connect(1), "git.example.org", 443, true);
        var parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName("git.example.org")));
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        return socket;
    }

    @Test
    void the_forge_gets_its_paths_as_they_came() throws Exception {
        var certificate = PemFiles.make(folder, "git", "git.example.org");
        var target = "/api/v4/projects/group%2Fproject//files/a%2fb[1].txt?ref=100%";
        var at = UnixDomainSocketAddress.of(folder.resolve("web.socket"));
        try (var _ = ScriptedBackend.at(at, (head, _, out) -> ScriptedBackend.answer(out, String.join("\n", head)));
                var proxy = forge(certificate);
                var client = secure(proxy, certificate, "http/1.1")) {
            var answer = MigratedProxy.ask(client, "GET " + target + " HTTP/1.1", "Host: git.example.org");
            assertTrue(answer.body().startsWith("GET " + target + " HTTP/1.1\nHost: git.example.org\n"), answer::body);
            assertTrue(answer.body().contains("X-Forwarded-Proto: https\n"), answer::body);
            assertTrue(answer.body().contains("X-Forwarded-Ssl: on"), answer::body);
            assertEquals("max-age=63072000", answer.field("Strict-Transport-Security"));
            assertEquals("http/1.1", client.getApplicationProtocol());
        }
    }

    @Test
    void clients_of_the_forge_may_speak_the_second_version() throws Exception {
        var certificate = PemFiles.make(folder, "git", "git.example.org");
        try (var proxy = forge(certificate);
                var client = secure(proxy, certificate, "h2", "http/1.1")) {
            client.startHandshake();
            assertEquals("h2", client.getApplicationProtocol());
        }
    }

    @Test
    void who_comes_to_the_forge_without_tls_is_redirected() throws Exception {
        try (var proxy = forge(PemFiles.make(folder, "git", "git.example.org"))) {
            var answer = proxy.ask("GET /group%2Fproject?b=c HTTP/1.1", "Host: git.example.org");
            assertEquals(
                    "301 https://git.example.org/group%2Fproject?b=c",
                    answer.status() + " " + answer.field("Location"));
        }
    }

    @Test
    void a_forge_that_is_not_there_has_a_page() throws Exception {
        var certificate = PemFiles.make(folder, "git", "git.example.org");
        try (var proxy = forge(certificate);
                var client = secure(proxy, certificate, "http/1.1")) {
            var answer = MigratedProxy.ask(client, "GET / HTTP/1.1", "Host: git.example.org");
            assertEquals("503 the forge rests", answer.status() + " " + answer.body());
            assertEquals("max-age=63072000", answer.field("Strict-Transport-Security"));
        }
    }

    /// A store that says how much of a body it got, and its check sum.
    private static ScriptedBackend store() throws IOException {
        return ScriptedBackend.of((head, in, out) -> ScriptedBackend.answer(out, summed(in, length(head))));
    }

    private static long length(List<String> head) {
        return head.stream()
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToLong(line -> Long.parseLong(line.substring(16)))
                .findFirst()
                .orElse(0);
    }

    private static String summed(InputStream in, long length) throws IOException {
        var sum = new CRC32();
        var part = new byte[1 << 16];
        long left = length;
        while (left > 0) {
            int read = in.read(part, 0, (int) Math.min(part.length, left));
            if (read < 0) break;
            sum.update(part, 0, read);
            left -= read;
        }
        return length - left + " " + sum.getValue();
    }

    private MigratedProxy uploads(ScriptedBackend store) throws IOException {
        return MigratedProxy.start(folder, UPLOADS, Map.of("10.0.0.1:8080", store.address()));
    }

    private static String put(String path, long length) {
        return "PUT " + path + " HTTP/1.1\r\nHost: files.example.org\r\nConnection: close\r\nContent-Length: " + length
                + "\r\n\r\n";
    }

    /// @return what the store should say
    private static String sendBody(OutputStream out, long length) throws IOException {
        var part = new byte[1 << 16];
        new Random(1).nextBytes(part);
        var sum = new CRC32();
        for (long sent = 0; sent < length; sent += part.length) {
            out.write(part);
            sum.update(part);
        }
        return length + " " + sum.getValue();
    }

    private static void assertUploads(MigratedProxy proxy, long length) throws IOException {
        try (var client = proxy.connect(0)) {
            MigratedProxy.send(client, put("/upload/film", length));
            var expected = sendBody(client.getOutputStream(), length);
            assertEquals(expected, MigratedProxy.answer(client).body());
        }
    }

    @Test
    void an_upload_arrives_whole() throws Exception {
        try (var store = store();
                var proxy = uploads(store)) {
            assertUploads(proxy, 64 * MIB);
        }
    }

    @Test
    void an_upload_that_is_too_long_is_refused_before_it_is_sent() throws Exception {
        try (var store = store();
                var proxy = uploads(store)) {
            for (var head : List.of(put("/upload/film", 2048 * MIB + 1), put("/other", MIB + 1))) {
                try (var client = proxy.connect(0)) {
                    MigratedProxy.send(client, head);
                    assertEquals(413, MigratedProxy.answer(client).status());
                }
            }
        }
    }

    @Test
    @Tag("long")
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void an_upload_of_2_GiB_takes_no_more_memory_than_one_of_64_MiB() throws Exception {
        try (var store = store();
                var program = proxy(MigratedProxy.file(folder, UPLOADS, Map.of("10.0.0.1:8080", store.address())));
                var proxy = MigratedProxy.start(program, 1)) {
            assertUploads(proxy, 64 * MIB);
            long before = mostMemory(program);
            assertUploads(proxy, 2048 * MIB);
            long grown = mostMemory(program) - before;
            assertTrue(grown < 64 * MIB, () -> grown + " bytes more");
        }
    }

    /// The most memory that the process had, as Linux counts it.
    private static long mostMemory(Program program) throws IOException {
        var status = Path.of("/proc/" + program.pid() + "/status");
        if (!Files.exists(status)) throw Machine.lacks("there is no /proc");
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .sum();
    }

    private void thereAreFilesOfTheSite() throws IOException {
        Files.createDirectories(folder.resolve("switches"));
        write("pages/closed.html", "we are back soon");
        write("pages/sorry.html", "sorry");
    }

    private MigratedProxy site(String first, String second) throws IOException {
        thereAreFilesOfTheSite();
        return MigratedProxy.start(folder, MAINTENANCE, inSite(first, second));
    }

    private static Map<String, String> inSite(String first, String second) {
        return Map.of("10.0.0.1:8080", first, "10.0.0.2:8080", second, "203.0.113.0/24", "127.0.0.0/8");
    }

    private static MigratedProxy.Answer get(MigratedProxy proxy, String path) throws IOException {
        return proxy.ask("GET " + path + " HTTP/1.1", "Host: www.example.org");
    }

    private static void await(MigratedProxy proxy, int status) throws IOException {
        while (get(proxy, "/").status() != status) Waiting.briefly();
    }

    @Test
    void a_file_in_the_folder_closes_the_site_and_opens_it_when_it_goes() throws Exception {
        var away = folder.resolve("closed.yaml");
        Files.writeString(away, MigratingDocument.setUp(MAINTENANCE).ours().getLast());
        thereAreFilesOfTheSite();
        try (var first = backend();
                var second = backend();
                var program = proxy(MigratedProxy.file(folder, MAINTENANCE, inSite(address(first), address(second))));
                var proxy = MigratedProxy.start(program, 2)) {
            assertEquals("/shop for nobody", get(proxy, "/shop").body());
            var closed = Files.move(away, folder.resolve("switches/closed.yaml"));
            await(proxy, 503);
            Files.move(closed, away);
            await(proxy, 200);
        }
    }

    private static Program proxy(Path configuration) throws IOException {
        return Program.start("proxy", "--config", configuration.toString());
    }

    private MigratedProxy closedSite(Server first, Server second) throws IOException {
        write(
                "switches/closed.yaml",
                MigratingDocument.setUp(MAINTENANCE).ours().getLast());
        return site(address(first), address(second));
    }

    @Test
    void a_closed_site_has_a_page_and_says_when_to_come_back() throws Exception {
        try (var first = backend();
                var second = backend();
                var proxy = closedSite(first, second)) {
            var answer = get(proxy, "/shop");
            assertEquals("503 we are back soon", answer.status() + " " + answer.body());
            assertEquals("600", answer.field("Retry-After"));
            assertEquals("no-store", answer.field("Cache-Control"));
        }
    }

    @Test
    void while_the_site_is_closed_the_office_and_health_checks_get_in() throws Exception {
        try (var first = backend();
                var second = backend();
                var proxy = closedSite(first, second);
                var office = proxy.connect(1)) {
            assertEquals("ok", get(proxy, "/healthz").body());
            var answer = MigratedProxy.ask(office, "GET /shop HTTP/1.1", "Host: www.example.org");
            assertEquals("/shop for nobody", answer.body());
        }
    }

    @Test
    void a_spare_backend_gets_what_the_first_cannot_take() throws Exception {
        try (var second = backend();
                var proxy = site("127.0.0.1:" + Machine.closedPort(), address(second))) {
            assertEquals("/shop for nobody", get(proxy, "/shop").body());
        }
    }

    @Test
    void a_site_whose_backends_are_gone_has_a_page() throws Exception {
        try (var proxy = site("127.0.0.1:" + Machine.closedPort(), "127.0.0.1:" + Machine.closedPort())) {
            var answer = get(proxy, "/");
            assertEquals("503 we are back soon", answer.status() + " " + answer.body());
        }
    }

    @Test
    void a_backend_that_breaks_off_has_a_page_of_its_own() throws Exception {
        try (var broken = ScriptedBackend.of((_, _, _) -> {});
                var other = ScriptedBackend.of((_, _, _) -> {});
                var proxy = site(broken.address(), other.address())) {
            var answer = get(proxy, "/");
            assertEquals("502 sorry", answer.status() + " " + answer.body());
        }
    }
}
