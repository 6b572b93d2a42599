package io.millrace.proxy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.testing.Machine;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// nginx or HAProxy in front of a backend, where they are installed, to see what they make of the same requests.
public final class OtherProxy implements AutoCloseable {
    private final Process process;
    private final Path output;
    private final int port;

    /// A file for HAProxy.
    ///
    /// @param rules lines of its frontend
    public static String haproxy(String rules) {
        return """
                defaults
                  mode http
                  timeout client 5s
                  timeout connect 5s
                  timeout server 5s
                frontend in
                  bind 127.0.0.1:%2$d
                RULES  default_backend out
                backend out
                  server one 127.0.0.1:%3$d
                """.replace("RULES", rules.indent(2));
    }

    /// A program that is a proxy, and how it is called with a file.
    @SuppressWarnings("ImmutableEnumChecker") // its list is
    public enum Program {
        NGINX("nginx", "-c"),
        HAPROXY("haproxy", "-db", "-f");

        private final String name;
        private final List<String> options;

        Program(String name, String... options) {
            this.name = name;
            this.options = List.of(options);
        }

        /// Starts it, and waits until it listens.
        ///
        /// @param configuration with `%1$s` for a folder of its own, `%2$d` for the port to listen on
        /// @param backend its port, `%3$d` there
        /// @throws org.opentest4j.TestAbortedException where it is not installed
        public OtherProxy start(Path folder, String configuration, int backend) throws IOException {
            var program = installed();
            int port = free();
            var file = Files.writeString(folder.resolve("proxy.conf"), configuration.formatted(folder, port, backend));
            var words = new ArrayList<>(List.of(program.toString()));
            words.addAll(options);
            words.add(file.toString());
            return new OtherProxy(words, folder.resolve("output"), port);
        }

        /// What it says of itself, with a version in it.
        ///
        /// @throws org.opentest4j.TestAbortedException where it is not installed
        public String version() throws IOException {
            var process = new ProcessBuilder(installed().toString(), "-v")
                    .redirectErrorStream(true)
                    .start();
            try (var said = process.inputReader()) {
                return said.lines().findFirst().orElse("");
            }
        }

        private Path installed() {
            var program = Path.of("/usr/sbin", name);
            assumeTrue(Files.isExecutable(program), name + " is not installed");
            return program;
        }
    }

    /// nghttpx in clear text, in front of a backend.
    ///
    /// @param backendOptions behind its address: `;;proto=h2` for HTTP/2
    /// @throws org.opentest4j.TestAbortedException where it is not installed
    static OtherProxy nghttpx(Path folder, int backend, String backendOptions) throws IOException {
        var program = Machine.program(List.of("nghttpx"))
                .orElseThrow(() -> Machine.lacks("there is no nghttpx on the PATH: install nghttp2-proxy"));
        int port = free();
        var words = List.of(
                program.toString(),
                "--conf=/dev/null",
                "--single-process",
                "--frontend=127.0.0.1," + port + ";no-tls",
                "--backend=127.0.0.1," + backend + backendOptions);
        return new OtherProxy(words, folder.resolve("nghttpx-" + port), port);
    }

    /// A program that listens on a port that it is told.
    ///
    /// @param words with `PORT` for that
    static OtherProxy program(Path folder, List<String> words) throws IOException {
        int port = free();
        var all = words.stream().map(word -> word.replace("PORT", "" + port)).toList();
        return program(folder, port, all);
    }

    /// A program that was told its port.
    static OtherProxy program(Path folder, int port, List<String> words) throws IOException {
        return new OtherProxy(words, folder.resolve("program-" + port), port);
    }

    private OtherProxy(List<String> words, Path output, int port) throws IOException {
        this.output = output;
        this.port = port;
        this.process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            await();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static int free() throws IOException {
        try (var probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
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

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
