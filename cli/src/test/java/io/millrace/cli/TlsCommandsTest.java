package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// TLS in the commands, from outside their processes.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class TlsCommandsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String ANY_PORT = "127.0.0.1:0";

    @TempDir
    private Path folder;

    private static String get(TlsClient tls, String url) throws IOException {
        try (var client = HttpClient.of(ClientSettings.standard().tls(tls))) {
            return client.send(Request.get(url)).text();
        }
    }

    private static TlsClient trusting(PemFiles files) {
        return Tls.client().trusting(TlsIdentity.certificates(files.chain()));
    }

    private Program http(PemFiles files, String... more) throws IOException {
        var arguments = new ArrayList<>(List.of("http", "--tls-listen", ANY_PORT));
        arguments.addAll(
                List.of("--cert", files.chain().toString(), "--key", files.key().toString()));
        arguments.addAll(List.of(more));
        return Program.start(arguments.toArray(String[]::new));
    }

    @Test
    void http_is_served_in_the_clear_and_over_tls() throws Exception {
        var files = PemFiles.make(folder, "server", "localhost", "127.0.0.1");
        try (var server = http(files, "--listen", ANY_PORT)) {
            var plain = server.listening();
            var secure = server.listening();
            assertEquals("Hello, World!", get(trusting(files), "http://" + plain + "/"));
            assertEquals("Hello, World!", get(trusting(files), "https://" + secure + "/"));
            server.terminate();
            assertEquals(0, server.exitCode(), server::err);
        }
    }

    @Test
    void a_certificate_is_renewed_on_SIGHUP() throws Exception {
        var files = PemFiles.make(folder, "server", "127.0.0.1");
        var next = PemFiles.make(folder, "next", "127.0.0.1");
        try (var server = http(files)) {
            var url = "https://" + server.listening() + "/";
            assertEquals("Hello, World!", get(trusting(files), url));
            files.become(next);
            new ProcessBuilder("kill", "-HUP", "" + server.pid()).start().waitFor();
            while (!answers(trusting(next), url)) Waiting.briefly();
        }
    }

    private static boolean answers(TlsClient tls, String url) {
        try {
            return get(tls, url).equals("Hello, World!");
        } catch (IOException _) {
            return false;
        }
    }

    @Test
    void the_proxy_ends_tls_in_front_of_requests_and_of_bytes() throws Exception {
        var files = PemFiles.make(folder, "proxy", "127.0.0.1");
        try (var backend = Program.start("http", "--listen", ANY_PORT)) {
            var to = backend.listening();
            for (var layer : new String[] {"4", "7"}) {
                try (var proxy = Program.start(
                        "proxy",
                        "--layer",
                        layer,
                        "--tls-listen",
                        ANY_PORT,
                        "--to",
                        to,
                        "--cert",
                        files.chain().toString(),
                        "--key",
                        files.key().toString())) {
                    assertEquals("Hello, World!", get(trusting(files), "https://" + proxy.listening() + "/"));
                }
            }
        }
    }

    @Test
    void a_certificate_of_its_own_is_for_trying_only_and_the_load_says_how_many_handshakes() throws Exception {
        try (var server = Program.start("http", "--tls-listen", ANY_PORT, "--tls-self-signed")) {
            var url = "https://" + server.listening() + "/";
            assertEquals(0, load(url, "--insecure", "--requests", "100", "--connections", "2", "2 TLS handshakes"));
            assertEquals(
                    0,
                    load(
                            url,
                            "--insecure",
                            "--no-resumption",
                            "--close",
                            "--requests",
                            "10",
                            "--connections",
                            "1",
                            " TLS handshakes began"));
            // Nobody trusts it.
            try (var load = Program.start("load", "http", url, "--requests", "1")) {
                assertEquals(1, load.exitCode());
                assertTrue(
                        load.err().contains(": trust its issuer with --cacert FILE, or any certificate with"),
                        load::err);
            }
            server.terminate();
            assertEquals(0, server.exitCode());
            assertTrue(server.err().contains("for trying things out"), server::err);
        }
    }

    @Test
    void the_first_handshake_finds_its_classes_loaded() throws Exception {
        var log = folder.resolve("classes.log");
        var flags = new ArrayList<>(Program.FLAGS);
        flags.add("-Xlog:class+load:file=" + log);
        try (var server = Program.start(flags, "http", "--tls-listen", ANY_PORT, "--tls-self-signed")) {
            var url = "https://" + server.listening() + "/";
            long before = loaded(log, " sun.security.ssl.");
            assertTrue(before > 100, () -> before + " classes");
            assertEquals(0, load(url, "--insecure", "--requests", "10", "--connections", "1", ""));
            assertTrue(loaded(log, " sun.security.ssl.") < before + 20, () -> "many more than " + before);
        }
    }

    private static long loaded(Path log, String of) throws IOException {
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains(of)).count();
        }
    }

    /// @param options and what it says at last
    private static int load(String url, String... options) throws Exception {
        var said = options[options.length - 1];
        var arguments = new ArrayList<>(List.of("load", "http", url, "--warm-up", "0"));
        arguments.addAll(List.of(options).subList(0, options.length - 1));
        try (var load = Program.start(arguments.toArray(String[]::new))) {
            var lines = String.join("\n", load.rest());
            int code = load.exitCode();
            assertTrue(lines.contains(said), () -> lines + load.err());
            return code;
        }
    }
}
