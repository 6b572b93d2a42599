package io.millrace.http.h2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.HeadlessBrowser;
import io.millrace.testing.Machine;
import io.millrace.testing.Peers;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Trust;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// HTTP/2 with clients of others, over TLS and in clear text: h2spec, curl, nghttp, h2load, Go, Python, Java, and a
/// browser.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class Http2ClientsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String LARGE = "x".repeat(1_000_000);

    /// One port speaks both versions, so that what is no preface of HTTP/2 is a request of HTTP/1.1, and refused as
    /// such.
    private static final String NO_PREFACE = "Sends invalid connection preface";

    @TempDir
    private Path folder;

    private PemFiles files;

    @BeforeEach
    void there_is_a_certificate() throws IOException {
        files = PemFiles.make(folder, "server", "localhost", "127.0.0.1");
    }

    private static final HttpHandler ECHO = Http.whole(2 << 20, request -> Response.ok(request.bytes(), "text/plain"));

    private static Response handle(io.millrace.http.Request request) throws Exception {
        return switch (request.path()) {
            case "/large" -> Response.ok(LARGE);
            case "/echo" -> ECHO.handle(request);
            default -> Response.ok("hello");
        };
    }

    private Server serve(EventLoops loops, Dispatch dispatch, boolean isSecure) {
        return serve(loops, dispatch, isSecure, Http2ClientsTest::handle);
    }

    private Server serve(EventLoops loops, Dispatch dispatch, boolean isSecure, HttpHandler app) {
        var on = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
        var tls = Tls.server(files.chain(), files.key()).speaking("h2", "http/1.1");
        return AnyDispatch.serve(isSecure ? on.through(tls) : on, dispatch, app);
    }

    private static EventLoops loops() {
        return EventLoops.configure().transport(TransportKind.EPOLL).threads(1).start();
    }

    private static String program(String name) {
        return Machine.program(List.of(name))
                .orElseThrow(() -> Machine.lacks("there is no " + name + " on the PATH"))
                .toString();
    }

    private String run(String... command) throws Exception {
        var process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        var running = process.start();
        var said = new String(running.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, running.waitFor(), said);
        return said;
    }

    // h2spec.

    /// Which comes with Go.
    private String h2spec() throws Exception {
        var there = Machine.program(List.of("h2spec"));
        if (there.isPresent()) return there.get().toString();
        var installed = Path.of("target", "h2spec").toAbsolutePath();
        if (!Files.isExecutable(installed.resolve("h2spec"))) {
            var install =
                    new ProcessBuilder(program("go"), "install", "github.com/summerwind/h2spec/cmd/h2spec@latest");
            install.environment().put("GOBIN", installed.toString());
            var installing = install.redirectErrorStream(true).start();
            var said = new String(installing.getInputStream().readAllBytes(), UTF_8);
            if (installing.waitFor() != 0) throw Machine.lacks("h2spec cannot be installed: " + said);
        }
        return installed.resolve("h2spec").toString();
    }

    /// The lines about cases that failed.
    private List<String> failures(Dispatch dispatch, boolean isSecure) throws Exception {
        try (var loops = loops();
                var server = serve(loops, dispatch, isSecure)) {
            var command = new ArrayList<>(List.of(h2spec(), "-h", "127.0.0.1", "-p", "" + server.port(), "-o", "5"));
            if (isSecure) command.addAll(List.of("-t", "-k"));
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var said = new String(process.getInputStream().readAllBytes(), UTF_8);
            process.waitFor();
            assertTrue(said.matches("(?s).*14[5-9] tests, .*"), said);
            int failed = said.indexOf("\nFailures:");
            return failed < 0
                    ? List.of()
                    : said.substring(failed)
                            .lines()
                            .filter(line -> line.contains("×"))
                            .toList();
        }
    }

    @Test
    @Tag("long")
    void h2spec_finds_nothing_over_tls() throws Exception {
        for (var dispatch : List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2)))
            assertEquals(List.of(), failures(dispatch, true));
    }

    @Test
    @Tag("long")
    void h2spec_finds_nothing_else_in_clear_text() throws Exception {
        for (var dispatch : List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2))) {
            var failures = failures(dispatch, false);
            assertTrue(failures.size() == 1 && failures.getFirst().contains(NO_PREFACE), failures::toString);
        }
    }

    // ALPN.

    private String agreed(int port, String... versions) throws Exception {
        var factory = Trust.in(certificate()).getSocketFactory();
        try (var socket = (SSLSocket) factory.createSocket("localhost", port)) {
            var parameters = new SSLParameters();
            parameters.setApplicationProtocols(versions);
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            if (!socket.getApplicationProtocol().equals("h2")) return socket.getApplicationProtocol();
            try (var peer = Http2Peer.over(socket, Http2Codes.USUAL_WINDOW)) {
                int id = peer.post("/echo");
                return "h2 " + peer.body(id, LARGE.getBytes(UTF_8)).whole(id).bodyBytes();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_of_tls_chooses_its_version(Serving.Kind kind) throws Exception {
        var tls = Tls.server(files.chain(), files.key()).speaking("h2", "http/1.1");
        try (var serving = kind.serve(Http2ClientsTest::handle);
                var server = AnyDispatch.serve(
                        Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .loops(serving.loops())
                                .through(tls),
                        Dispatch.loop(),
                        Http2ClientsTest::handle)) {
            assertEquals("h2 1000000", agreed(server.port(), "h2", "http/1.1"));
            assertEquals("h2 1000000", agreed(server.port(), "h2"));
            assertEquals("http/1.1", agreed(server.port(), "http/1.1"));
            assertEquals("", agreed(server.port()));
        }
    }

    // Clients of others.

    @Test
    void curl_is_served() throws Exception {
        var body = Files.writeString(folder.resolve("body"), LARGE);
        try (var loops = loops();
                var clear = serve(loops, Dispatch.loop(), false);
                var secure = serve(loops, Dispatch.virtual(), true)) {
            for (var options : List.of(
                    List.of("--http2-prior-knowledge", "http://127.0.0.1:" + clear.port()),
                    List.of("-k", "--http2", "https://127.0.0.1:" + secure.port()))) {
                var command = new ArrayList<>(List.of(program("curl"), "-sS", "-w", " %{http_version}"));
                command.addAll(options.subList(0, options.size() - 1));
                var url = options.getLast();
                assertEquals("hello 2", run(with(command, url + "/")));
                assertEquals(LARGE + " 2", run(with(command, url + "/large")));
                assertEquals(LARGE + " 2", run(with(command, "--data-binary", "@" + body, url + "/echo")));
                assertEquals(" 2", run(with(command, "-I", "-o", "/dev/null", url + "/")));
            }
        }
    }

    private static String[] with(List<String> command, String... more) {
        var all = new ArrayList<>(command);
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void nghttp_is_served() throws Exception {
        var body = Files.writeString(folder.resolve("body"), LARGE);
        try (var loops = loops();
                var server = serve(loops, Dispatch.loop(), false)) {
            var url = "http://127.0.0.1:" + server.port();
            assertEquals("hello", run(program("nghttp"), url + "/"));
            assertEquals(LARGE, run(program("nghttp"), "-w", "10", "-W", "10", url + "/large"));
            assertEquals(LARGE, run(program("nghttp"), "-d", body.toString(), url + "/echo"));
            assertEquals("hello".repeat(30), run(program("nghttp"), "-m", "30", url + "/"));
        }
    }

    @Test
    void h2load_is_served() throws Exception {
        try (var loops = loops();
                var clear = serve(loops, Dispatch.loop(), false);
                var secure = serve(loops, Dispatch.virtual(), true)) {
            for (var url : List.of("http://127.0.0.1:" + clear.port(), "https://127.0.0.1:" + secure.port())) {
                var said = run(program("h2load"), "-n", "5000", "-c", "10", "-m", "50", url + "/");
                assertTrue(said.contains("5000 succeeded, 0 failed"), said);
            }
        }
    }

    private X509Certificate certificate() {
        return TlsIdentity.certificates(files.chain()).getFirst();
    }

    @Test
    void the_client_of_java_is_served() throws Exception {
        try (var loops = loops();
                var server = serve(loops, Dispatch.virtual(), true);
                var client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .sslContext(Trust.in(certificate()))
                        .build()) {
            var root = "https://localhost:" + server.port();
            var first =
                    client.send(HttpRequest.newBuilder(URI.create(root + "/")).build(), BodyHandlers.ofString());
            assertEquals(HttpClient.Version.HTTP_2, first.version());
            assertEquals("hello", first.body());
            var echoed = new ArrayList<CompletableFuture<HttpResponse<String>>>();
            for (int i = 0; i < 30; i++) {
                var request = HttpRequest.newBuilder(URI.create(root + "/echo"))
                        .POST(BodyPublishers.ofString(LARGE.substring(i * 10_000)))
                        .build();
                echoed.add(client.sendAsync(request, BodyHandlers.ofString()));
            }
            for (int i = 0; i < 30; i++)
                assertEquals(
                        LARGE.length() - i * 10_000, echoed.get(i).join().body().length());
        }
    }

    private static final String GO_CLIENT = """
            package main

            import (
                "crypto/tls"
                "crypto/x509"
                "fmt"
                "io"
                "net/http"
                "os"
                "strings"
            )

            func main() {
                pem, _ := os.ReadFile(os.Args[2])
                roots := x509.NewCertPool()
                roots.AppendCertsFromPEM(pem)
                transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
                client := &http.Client{Transport: transport}
                for _, path := range []string{"/", "/large", "/echo"} {
                    url := "https://localhost:" + os.Args[1] + path
                    response, err := client.Post(url, "text/plain", strings.NewReader(strings.Repeat("y", 1000000)))
                    if err != nil { panic(err) }
                    body, err := io.ReadAll(response.Body)
                    if err != nil { panic(err) }
                    fmt.Println(len(body), response.ProtoMajor)
                }
            }
            """;

    /// Its compiler takes its time.
    @Test
    @Tag("long")
    void a_client_of_go_is_served() throws Exception {
        Files.writeString(folder.resolve("client.go"), GO_CLIENT);
        try (var loops = loops();
                var server = serve(loops, Dispatch.loop(), true)) {
            var said = run(
                    program("go"),
                    "run",
                    "client.go",
                    "" + server.port(),
                    files.chain().toString());
            assertEquals("5 2\n1000000 2\n1000000 2\n", said);
        }
    }

    private static final String PYTHON_CLIENT = """
            import socket, sys, h2.connection, h2.config, h2.events
            sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            conn = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
            conn.initiate_connection()
            got = {}
            for path in ["/", "/large", "/"]:
                id = conn.get_next_available_stream_id()
                got[id] = 0
                conn.send_headers(id, [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", path)], True)
            sock.sendall(conn.data_to_send())
            ended = 0
            while ended < 3:
                for event in conn.receive_data(sock.recv(65536)):
                    if isinstance(event, h2.events.DataReceived):
                        got[event.stream_id] += len(event.data)
                        conn.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    if isinstance(event, h2.events.StreamEnded):
                        ended += 1
                sock.sendall(conn.data_to_send())
            print(list(got.values()))
            """;

    @Test
    @Tag("long")
    void a_client_of_python_is_served() throws Exception {
        var python = Peers.python("h2", "h2").toString();
        try (var loops = loops();
                var server = serve(loops, Dispatch.loop(), false)) {
            assertEquals("[5, 1000000, 5]\n", run(python, "-c", PYTHON_CLIENT, "" + server.port()));
        }
    }

    private static final String PAGE = """
            <!DOCTYPE html><html><body>
            <h1>Hello</h1><p id="told"></p>
            <script src="/script.js"></script>
            </body></html>
            """;

    private static final String SCRIPT = "document.getElementById('told').textContent ="
            + " location.protocol + ' ' + performance.getEntriesByType('navigation')[0].nextHopProtocol;";

    @Test
    void a_browser_is_served() throws Exception {
        var program = HeadlessBrowser.installed("a page over HTTP/2");
        HttpHandler app = request -> switch (request.path()) {
            case "/" -> Response.html(PAGE);
            case "/script.js" -> Response.ok(Bytes.utf8(SCRIPT), "text/javascript");
            default -> Response.status(404);
        };
        try (var loops = loops();
                var server = serve(loops, Dispatch.loop(), true, app)) {
            var options = List.of(HeadlessBrowser.trusting(files), "https://localhost:" + server.port() + "/");
            var document = HeadlessBrowser.document(program, Duration.ofSeconds(60), folder, options);
            assertTrue(document.contains("<h1>Hello</h1><p id=\"told\">https: h2</p>"), document);
        }
    }
}
