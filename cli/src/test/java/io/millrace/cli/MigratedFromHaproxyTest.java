package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Trust;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// What ours of `docs/migrating.md` do that were HAProxy's.
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MigratedFromHaproxyTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int REQUESTS = 400;
    private static final String ORIGIN = "https://chat.example.org";
    private static final String[] UPGRADE = {
        "GET /chat HTTP/1.1",
        "Host: chat.example.org",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    };

    private final EventLoops loops = EventLoops.of(1);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        loops.close();
    }

    private Listen anyPort() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    private Server saying(String text) {
        return Http.listen(anyPort(), _ -> Response.ok(text));
    }

    private static String address(Server server) {
        return "127.0.0.1:" + server.port();
    }

    // gRPC.

    /// nginx as two backends that speak HTTP/2 and say their names.
    private Process http2(PemFiles certificate, int first, int second) throws IOException {
        var text = new StringBuilder("daemon off; master_process off; error_log stderr; pid nginx.pid;\n")
                .append("events { worker_connections 64; }\nhttp {\naccess_log off;\n")
                .append("client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d;")
                .append("scgi_temp_path e;\nssl_certificate ")
                .append(certificate.chain())
                .append(";\nssl_certificate_key ")
                .append(certificate.key())
                .append(";\n");
        for (var name : List.of("r1", "r2")) {
            text.append("server { listen 127.0.0.1:")
                    .append(name.equals("r1") ? first : second)
                    .append(" ssl http2; location / { return 200 ")
                    .append(name)
                    .append("; } }\n");
        }
        var file = Files.writeString(folder.resolve("nginx.conf"), text.append("}\n"));
        var program = MigratingTest.installed("nginx").toString();
        var output = folder.resolve("nginx.log").toFile();
        var process = new ProcessBuilder(program, "-p", folder.toString(), "-c", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        while (!listens(second)) {
            if (!process.isAlive()) throw new IOException(Files.readString(output.toPath()));
            Waiting.briefly();
        }
        return process;
    }

    private static boolean listens(int port) throws IOException {
        try (var probe = new Socket()) {
            probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (SocketException _) {
            return false;
        }
    }

    /// On a connection of its own.
    private static HttpResponse<String> call(MigratedProxy proxy, PemFiles certificate, String host) throws Exception {
        var trusted = TlsIdentity.certificates(certificate.chain()).getFirst();
        var uri = URI.create("https://" + host + ":" + proxy.port(0) + "/");
        try (var client = java.net.http.HttpClient.newBuilder()
                .sslContext(Trust.in(trusted))
                .build()) {
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        }
    }

    @Test
    void http_2_passes_to_backends_in_turn_for_the_name_in_the_file() throws Exception {
        var certificate = PemFiles.make(folder, "server", "localhost", "127.0.0.1");
        int first = Machine.freePort();
        int second = Machine.freePort();
        var backends = http2(certificate, first, second);
        try (var proxy = MigratedProxy.start(
                folder,
                "gRPC",
                Map.of(
                        // The name that the JDK's client asks for.
                        "rpc.example.org",
                        "localhost",
                        "{chain: rpc.pem",
                        "{chain: " + certificate.chain(),
                        "rpc-key.pem",
                        certificate.key().toString(),
                        "inside-ca.pem",
                        certificate.chain().toString(),
                        // These backends speak HTTP/2, and not gRPC.
                        "check: grpc",
                        "check: tcp",
                        "10.0.0.1:8443",
                        "127.0.0.1:" + first,
                        "10.0.0.2:8443",
                        "127.0.0.1:" + second))) {
            var said = new HashSet<String>();
            for (int i = 0; i < 2; i++) {
                var answer = call(proxy, certificate, "localhost");
                assertEquals(Version.HTTP_2, answer.version());
                said.add(answer.body());
            }
            assertEquals(Set.of("r1", "r2"), said);
            assertEquals(421, call(proxy, certificate, "127.0.0.1").statusCode());
        } finally {
            backends.destroy();
            backends.onExit().join();
        }
    }

    // The chat.

    /// A backend with a WebSocket that sends back what comes, in frames of less than 126 bytes.
    private static ScriptedBackend chat(String name) throws IOException {
        return ScriptedBackend.of((head, in, out) -> {
            if (!head.getFirst().startsWith("GET /chat")) {
                ScriptedBackend.answer(out, "healthy");
                return;
            }
            ScriptedBackend.send(
                    out,
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Backend: "
                            + name + "\r\nSec-WebSocket-Accept: " + accepted(head) + "\r\n\r\n");
            echo(in, out);
        });
    }

    private static String accepted(List<String> head) {
        var key = head.stream()
                .filter(line -> line.startsWith("Sec-WebSocket-Key: "))
                .map(line -> line.substring(19))
                .findFirst()
                .orElseThrow();
        try {
            var hash = MessageDigest.getInstance("SHA-1")
                    .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void echo(InputStream in, OutputStream out) throws IOException {
        for (int first; (first = in.read()) >= 0; ) {
            var frame = new byte[2 + (in.read() & 0x7f)];
            var mask = in.readNBytes(4);
            var payload = in.readNBytes(frame.length - 2);
            frame[0] = (byte) first;
            frame[1] = (byte) payload.length;
            for (int i = 0; i < payload.length; i++) frame[i + 2] = (byte) (payload[i] ^ mask[i % 4]);
            out.write(frame);
        }
    }

    private MigratedProxy chats(ScriptedBackend first, ScriptedBackend second, Server pages) throws IOException {
        return MigratedProxy.start(
                folder,
                "A WebSocket chat",
                Map.of(
                        "10.0.0.1:9000", first.address(),
                        "10.0.0.2:9000", second.address(),
                        "10.0.0.9:8080", address(pages)));
    }

    /// Completes with the first message.
    private record Heard(CompletableFuture<String> text) implements WebSocket.Listener {
        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean isLast) {
            text.complete(data.toString());
            return text;
        }
    }

    @Test
    void messages_of_the_chat_go_both_ways() throws Exception {
        try (var first = chat("c1");
                var second = chat("c2");
                var pages = saying("page");
                var proxy = chats(first, second, pages);
                var client = java.net.http.HttpClient.newHttpClient()) {
            var heard = new Heard(new CompletableFuture<>());
            var socket = client.newWebSocketBuilder()
                    .header("Origin", ORIGIN)
                    .buildAsync(URI.create("ws://" + proxy.addresses().getFirst() + "/chat/rooms/7"), heard)
                    .join();
            socket.sendText("hello", true).join();
            assertEquals("hello", heard.text().join());
            socket.abort();
        }
    }

    @Test
    void a_page_of_another_site_gets_no_chat_and_pages_come_from_elsewhere() throws Exception {
        try (var first = chat("c1");
                var second = chat("c2");
                var pages = saying("page");
                var proxy = chats(first, second, pages)) {
            assertEquals(
                    403, proxy.ask(with("Origin: https://evil.example.org")).status());
            var elsewhere = with("Origin: https://evil.example.org");
            elsewhere[0] = "GET /news HTTP/1.1";
            assertEquals(403, proxy.ask(elsewhere).status());
            assertEquals("page", proxy.ask("GET /chat HTTP/1.1", "Host: a").body());
            assertEquals("page", proxy.ask("GET / HTTP/1.1", "Host: a").body());
        }
    }

    private static String[] with(String... fields) {
        return Stream.of(UPGRADE, fields).flatMap(Stream::of).toArray(String[]::new);
    }

    /// The head of the answer.
    private static List<String> upgrade(MigratedProxy proxy, String... fields) throws IOException {
        try (var socket = proxy.connect(0)) {
            MigratedProxy.send(socket, String.join("\r\n", with(fields)) + "\r\n\r\n");
            return ScriptedBackend.head(socket.getInputStream());
        }
    }

    private static String field(List<String> head, String name) {
        return new MigratedProxy.Answer(0, head, "").field(name);
    }

    @Test
    void a_client_comes_back_to_its_chat_by_a_cookie() throws Exception {
        try (var first = chat("c1");
                var second = chat("c2");
                var pages = saying("page");
                var proxy = chats(first, second, pages)) {
            var head = upgrade(proxy, "Origin: " + ORIGIN);
            var cookie = field(head, "Set-Cookie");
            assertTrue(cookie.startsWith("ROOM=") && cookie.contains("HttpOnly"), head::toString);
            for (int i = 0; i < 6; i++) {
                var next = upgrade(proxy, "Origin: " + ORIGIN, "Cookie: " + cookie.replaceFirst(";.*", ""));
                assertEquals(field(head, "X-Backend"), field(next, "X-Backend"));
            }
        }
    }

    // The canary.

    private MigratedProxy versions(Server first, Server second, Server next) throws IOException {
        return MigratedProxy.start(
                folder,
                "A canary",
                Map.of(
                        "10.0.0.1:8080", address(first),
                        "10.0.0.2:8080", address(second),
                        "10.0.0.9:8080", address(next)));
    }

    @Test
    void one_request_in_twenty_gets_the_new_version() throws Exception {
        try (var first = saying("stable");
                var second = saying("stable");
                var next = saying("next");
                var proxy = versions(first, second, next)) {
            int drawn = 0;
            for (int i = 0; i < REQUESTS; i++) {
                if (proxy.ask("GET / HTTP/1.1", "Host: a").body().equals("next")) drawn++;
            }
            assertTrue(drawn > 0 && drawn < REQUESTS / 5, drawn + " of " + REQUESTS);
        }
    }

    @Test
    void a_tester_chooses_the_version_with_a_cookie() throws Exception {
        try (var first = saying("stable");
                var second = saying("stable");
                var next = saying("next");
                var proxy = versions(first, second, next)) {
            for (var version : List.of("next", "stable")) {
                for (int i = 0; i < 20; i++) {
                    var answer = proxy.ask("GET / HTTP/1.1", "Host: a", "Cookie: a=b; version=" + version);
                    assertEquals(version, answer.body());
                    assertEquals(version, answer.field("X-Version"));
                }
            }
        }
    }

    // Mutual TLS.

    /// The files of the set-up: each certificate is its own authority.
    private record Inside(PemFiles orders, PemFiles client, PemFiles backend, PemFiles proxy) {
        static Inside in(Path folder) throws IOException {
            return new Inside(
                    PemFiles.make(folder, "orders", "orders.example.org"),
                    PemFiles.make(folder, "clients-ca", "shop.internal"),
                    PemFiles.make(folder, "inside-ca", "orders.internal"),
                    PemFiles.make(folder, "proxy", "proxy.internal"));
        }

        TlsClient stranger() {
            return Tls.client("orders.example.org").trusting(chain(orders)).speaking("http/1.1");
        }

        TlsClient known() {
            return stranger().as(TlsIdentity.pem(client.chain(), client.key()));
        }

        static List<X509Certificate> chain(PemFiles files) {
            return TlsIdentity.certificates(files.chain());
        }
    }

    /// It says who the client is, and how many certificates the proxy showed.
    private Server orders(Inside files) {
        var tls = Tls.server(files.backend().chain(), files.backend().key()).requiring(Inside.chain(files.proxy()));
        return Http.listen(
                anyPort().through(tls),
                request -> Response.ok(String.join(
                        " ",
                        request.header("X-Client-Subject").orElse("-"),
                        request.header("Client-Cert").orElse("-").substring(0, 1),
                        request.security()
                                .map(its -> its.serverName().orElse("-") + " "
                                        + its.peerCertificates().size())
                                .orElse("plain"))));
    }

    private MigratedProxy inside(Server first, Server second) throws IOException {
        return MigratedProxy.start(
                folder, "Mutual TLS inside", Map.of("10.0.0.1:8443", address(first), "10.0.0.2:8443", address(second)));
    }

    private Response send(MigratedProxy proxy, TlsClient tls, String path) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port(0));
        var settings = ClientSettings.standard()
                .loops(loops)
                .connect(_ -> Connect.to(address).through(tls));
        try (var client = HttpClient.of(settings)) {
            return client.send(
                    Request.get("http://orders.example.org" + path).setHeader("X-Client-Subject", "CN=root"));
        }
    }

    @Test
    void certificates_are_shown_and_asked_for_on_both_sides() throws Exception {
        var files = Inside.in(folder);
        try (var first = orders(files);
                var second = orders(files);
                var proxy = inside(first, second)) {
            assertEquals(
                    "CN=shop.internal : orders.internal 1",
                    send(proxy, files.known(), "/").text());
            assertEquals(403, send(proxy, files.known(), "/admin/users").status());
            assertThrows(IOException.class, () -> send(proxy, files.stranger(), "/"));
        }
    }
}
