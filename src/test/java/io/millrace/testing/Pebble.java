package io.millrace.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;

/// An authority for tests, of those who run Let's Encrypt. All names lead to 127.0.0.1 for it.
public final class Pebble implements AutoCloseable {
    private static final String MODULE = "github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1";
    private static final Path BUILT = Path.of("target", "pebble").toAbsolutePath();

    private final Process process;
    private final Path output;
    private final LoopbackNames names;
    private final PemFiles files;
    private final int port;
    private final int managementPort;

    private Pebble(Process process, Path output, LoopbackNames names, PemFiles files, int... ports) {
        this.process = process;
        this.output = output;
        this.names = names;
        this.files = files;
        this.port = ports[0];
        this.managementPort = ports[1];
    }

    /// Starts it, and waits until it listens.
    ///
    /// @param folder for its files
    /// @param httpPort where it looks for HTTP-01, `tlsPort` where for TLS-ALPN-01
    /// @param more of its configuration, as JSON behind a comma
    public static Pebble start(Path folder, int httpPort, int tlsPort, String more) throws IOException {
        var program = program();
        var files = PemFiles.make(folder, "pebble", "127.0.0.1");
        int port = Machine.freePort();
        int managementPort = Machine.freePort();
        var configuration =
                """
                {"pebble": {"listenAddress": "127.0.0.1:%d", "managementListenAddress": "127.0.0.1:%d",
                  "certificate": "%s", "privateKey": "%s", "httpPort": %d, "tlsPort": %d,
                  "retryAfter": {"authz": 1, "order": 1}%s}}
                """.formatted(port, managementPort, files.chain(), files.key(), httpPort, tlsPort, more);
        var file = Files.writeString(folder.resolve("pebble.json"), configuration);
        var names = new LoopbackNames();
        var output = folder.resolve("pebble.log");
        var builder = new ProcessBuilder(
                        program.toString(), "-config", file.toString(), "-dnsserver", "127.0.0.1:" + names.port())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("PEBBLE_VA_NOSLEEP", "1");
        var pebble = new Pebble(builder.start(), output, names, files, port, managementPort);
        try {
            pebble.await();
            return pebble;
        } catch (IOException | RuntimeException e) {
            pebble.close();
            throw e;
        }
    }

    /// Built once, from its module.
    private static synchronized Path program() throws IOException {
        var built = BUILT.resolve("pebble");
        if (Files.isExecutable(built)) return built;
        if (Machine.program(List.of("go")).isEmpty()) throw Machine.lacks("there is no go on the PATH to build Pebble");
        var builder = new ProcessBuilder("go", "install", MODULE).redirectErrorStream(true);
        builder.environment().put("GOBIN", BUILT.toString());
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) throw Machine.lacks("go cannot build Pebble: " + said);
        return built;
    }

    private void await() throws IOException {
        while (true) {
            try (var probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (SocketException _) {
                if (!process.isAlive()) throw new IOException(Files.readString(output));
                Waiting.briefly();
            }
        }
    }

    public String directory() {
        return "https://127.0.0.1:" + port + "/dir";
    }

    public int port() {
        return port;
    }

    /// Sets when it wants a certificate to be renewed (RFC 9773).
    public void renewal(X509Certificate of, Instant start, Instant end)
            throws IOException, GeneralSecurityException {
        var pem = "-----BEGIN CERTIFICATE-----\\n" + Base64.getEncoder().encodeToString(of.getEncoded())
                + "\\n-----END CERTIFICATE-----\\n";
        var window = "{'suggestedWindow': {'start': '" + start + "', 'end': '" + end + "'}}";
        var escaped = window.replace("'", "\\\"");
        manage("/set-renewal-info/", "{\"certificate\": \"" + pem + "\", \"ariResponse\": \"" + escaped + "\"}");
    }

    private void manage(String path, String json) throws IOException, GeneralSecurityException {
        var to = URI.create("https://127.0.0.1:" + managementPort + path).toURL();
        var request = (HttpsURLConnection) to.openConnection();
        request.setSSLSocketFactory(Trust.in(files.certificate()).getSocketFactory());
        request.setDoOutput(true);
        request.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
        if (request.getResponseCode() != 200) throw new IOException(path + ": " + request.getResponseCode());
    }

    /// The certificate that its clients trust.
    public Path authorities() {
        return files.chain();
    }

    /// What it has said.
    public String said() throws IOException {
        return Files.readString(output);
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
        names.close();
    }
}
