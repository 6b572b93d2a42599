package io.millrace.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.door.AnyDispatch;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.HeadlessBrowser;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Trust;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// HTTP over TLS with clients and servers of others: those of Java, Python, Go, a browser and nginx.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HttpsPeersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String LARGE = "x".repeat(1_000_000);

    @TempDir
    private Path folder;

    private PemFiles files;

    @BeforeEach
    void there_is_a_certificate() throws IOException {
        files = PemFiles.make(folder, "server", "localhost", "127.0.0.1");
    }

    private Server serve(EventLoops loops) {
        return serve(loops, request -> Response.ok(request.path().equals("/large") ? LARGE : "hello"));
    }

    private Server serve(EventLoops loops, HttpHandler app) {
        var tls = Tls.server(files.chain(), files.key()).speaking("http/1.1");
        return AnyDispatch.serve(Serving.free(loops).through(tls), Dispatch.virtual(), app);
    }

    private static String program(String name) {
        return Machine.program(List.of(name))
                .orElseThrow(() -> Machine.lacks("there is no " + name + " on the PATH"))
                .toString();
    }

    private String run(String... command) throws Exception {
        var process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        process.environment().put("GO111MODULE", "off");
        var running = process.start();
        var said = new String(running.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, running.waitFor(), said);
        return said;
    }

    // They ask us.

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_client_of_java_is_served(TransportKind transport) throws Exception {
        try (var loops = Serving.setup(transport).threads(1).start();
                var server = serve(loops)) {
            for (var path : List.of("/", "/large", "/")) {
                var url =
                        URI.create("https://localhost:" + server.port() + path).toURL();
                var connection = (HttpsURLConnection) url.openConnection();
                connection.setSSLSocketFactory(Trust.in(certificate()).getSocketFactory());
                try (var in = connection.getInputStream()) {
                    assertEquals(path.equals("/") ? "hello" : LARGE, new String(in.readAllBytes(), UTF_8));
                }
            }
        }
    }

    @Test
    void a_client_of_python_is_served() throws Exception {
        var script = """
                import ssl, sys, urllib.request
                context = ssl.create_default_context(cafile=sys.argv[2])
                for path in ["/", "/large"]:
                    with urllib.request.urlopen("https://localhost:" + sys.argv[1] + path, context=context) as response:
                        print(len(response.read()))
                """;
        try (var loops = Serving.setup(TransportKind.NIO).threads(1).start();
                var server = serve(loops)) {
            var said = run(
                    program("python3"),
                    "-c",
                    script,
                    "" + server.port(),
                    files.chain().toString());
            assertEquals("5\n1000000\n", said);
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

    /// Which takes this key for one that is trusted, and no other.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_browser_is_served(TransportKind transport) throws Exception {
        var program = HeadlessBrowser.installed("a page over TLS");
        HttpHandler app = request -> switch (request.path()) {
            case "/" -> Response.html(PAGE);
            case "/script.js" -> Response.ok(Bytes.utf8(SCRIPT), "text/javascript");
            default -> Response.status(404);
        };
        try (var loops = Serving.setup(transport).threads(1).start();
                var server = serve(loops, app)) {
            var options = List.of(
                    "--ignore-certificate-errors-spki-list=" + keyHash(), "https://localhost:" + server.port() + "/");
            var document = HeadlessBrowser.document(program, Duration.ofSeconds(60), folder, options);
            assertTrue(document.contains("<h1>Hello</h1><p id=\"told\">https: http/1.1</p>"), document);
        }
    }

    private X509Certificate certificate() {
        return TlsIdentity.certificates(files.chain()).getFirst();
    }

    private String keyHash() throws GeneralSecurityException {
        var key = certificate().getPublicKey();
        return Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(key.getEncoded()));
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
            )

            func main() {
                pem, _ := os.ReadFile(os.Args[2])
                roots := x509.NewCertPool()
                roots.AppendCertsFromPEM(pem)
                config := &tls.Config{RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(8)}
                for i := 0; i < 2; i++ {
                    client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
                    for _, path := range []string{"/", "/large"} {
                        response, err := client.Get("https://localhost:" + os.Args[1] + path)
                        if err != nil { panic(err) }
                        body, _ := io.ReadAll(response.Body)
                        fmt.Println(len(body), response.TLS.Version == tls.VersionTLS13, response.TLS.DidResume)
                    }
                }
            }
            """;

    /// Its compiler takes its time.
    @Test
    @Tag("long")
    void a_client_of_go_is_served_and_resumes_its_sessions() throws Exception {
        Files.writeString(folder.resolve("client.go"), GO_CLIENT);
        try (var loops = Serving.setup(TransportKind.NIO).threads(1).start();
                var server = serve(loops)) {
            var said = run(
                    program("go"),
                    "run",
                    "client.go",
                    "" + server.port(),
                    files.chain().toString());
            assertEquals("5 true false\n1000000 true true\n5 true true\n1000000 true true\n", said);
        }
    }

    // We ask them.

    private void assertAnswers(int port, String protocol) throws IOException {
        var trusted = Tls.client().trusting(TlsIdentity.certificates(files.chain()));
        var limits = HttpLimits.standard().bodyBytes(2L * LARGE.length());
        try (var asking = Asking.start(setup -> setup.tls(trusted).limits(limits))) {
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        "hello", asking.get("https://localhost:" + port + "/").text());
                assertEquals(
                        LARGE,
                        asking.get("https://localhost:" + port + "/large").text());
                assertEquals(
                        protocol,
                        asking.get("https://localhost:" + port + "/protocol").text());
            }
            assertEquals(1, asking.connections());
        }
    }

    private static void awaitListening(int port, Process server) throws InterruptedException {
        while (server.isAlive()) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertTrue(socket.isConnected());
                return;
            } catch (IOException _) {
                Waiting.briefly();
            }
        }
        throw new AssertionError("it has ended with " + server.waitFor());
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2,'',HTTP/1.1", "TLSv1.3,'',HTTP/1.1", "TLSv1.2,http2,HTTP/2.0", "TLSv1.3,http2,HTTP/2.0"})
    void nginx_is_asked(String version, String option, String protocol) throws Exception {
        var nginx = Path.of("/usr/sbin/nginx");
        if (!Files.isExecutable(nginx)) throw Machine.lacks("there is no nginx");
        int port = Machine.freePort();
        Files.writeString(folder.resolve("large"), LARGE);
        var configuration = """
                daemon off; master_process off; pid nginx.pid; error_log stderr;
                events {}
                http {
                    access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                    server {
                        listen 127.0.0.1:%d ssl %s; ssl_protocols %s;
                        ssl_certificate %s; ssl_certificate_key %s; root %s;
                        location = / { return 200 hello; }
                        location = /protocol { return 200 $server_protocol; }
                    }
                }
                """.formatted(port, option, version, files.chain(), files.key(), folder);
        Files.writeString(folder.resolve("nginx.conf"), configuration);
        var command = new ArrayList<>(List.of(nginx.toString(), "-p", folder.toString(), "-c", "nginx.conf"));
        var server = new ProcessBuilder(command).inheritIO().start();
        try {
            awaitListening(port, server);
            assertAnswers(port, protocol);
        } finally {
            server.destroy();
            server.waitFor();
        }
    }

    private static final String GO_SERVER = """
            package main

            import (
                "net/http"
                "os"
                "strings"
            )

            func main() {
                http.HandleFunc("/", func(to http.ResponseWriter, request *http.Request) {
                    if request.URL.Path == "/large" {
                        to.Write([]byte(strings.Repeat("x", 1000000)))
                    } else if request.URL.Path == "/protocol" {
                        to.Write([]byte(request.Proto))
                    } else {
                        to.Write([]byte("hello"))
                    }
                })
                panic(http.ListenAndServeTLS("127.0.0.1:"+os.Args[1], os.Args[2], os.Args[3], nil))
            }
            """;

    /// Its compiler takes its time.
    @Test
    @Tag("long")
    void a_server_of_go_is_asked() throws Exception {
        Files.writeString(folder.resolve("server.go"), GO_SERVER);
        run(program("go"), "build", "-o", "server", "server.go");
        int port = Machine.freePort();
        var command = List.of(
                folder.resolve("server").toString(),
                "" + port,
                files.chain().toString(),
                files.key().toString());
        var server = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            awaitListening(port, server);
            assertAnswers(port, "HTTP/2.0");
        } finally {
            server.destroy();
            server.waitFor();
        }
    }
}
