package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.process.ServerCommand;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReferencesTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String REQUEST = "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";

    @Test
    void one_without_its_source_says_so(@TempDir Path home) {
        var go = find(home, "go-net-http");
        var refused = assertThrows(IOException.class, () -> go.recipe().command(PeerSite.at("127.0.0.1")));
        assertEquals("its source " + home.resolve("bench/http_go/main.go") + " is missing", refused.getMessage());
    }

    @Test
    void nginx_is_configured_for_the_address_it_is_told(@TempDir Path home) throws Exception {
        var nginx = find(home, "nginx");
        assumeTrue(nginx.unavailableBecause().isEmpty(), nginx.unavailableBecause());
        var command = nginx.recipe().command(PeerSite.at("127.0.0.1"));
        var listensAt = command.listensAt().orElseThrow();
        var configuration = Files.readString(Path.of(command.words().getLast()));
        assertTrue(configuration.contains("listen 127.0.0.1:" + listensAt.getPort() + " "), configuration);
    }

    /// What is missing here is skipped; compiling takes a while, so this runs with the peers.
    @Tag("peers")
    @ParameterizedTest
    @ValueSource(strings = {"nginx", "go-net-http", "rust-hyper"})
    void answers_plaintext_and_closes_when_asked_to(String name) throws Exception {
        var reference = find(Path.of(".."), name);
        assumeTrue(reference.unavailableBecause().isEmpty(), reference.unavailableBecause());
        var command = reference.recipe().command(PeerSite.at("127.0.0.1"));
        var process = new ProcessBuilder(command.words()).start();
        try {
            var response = ask(address(command, process), process);
            assertTrue(response.startsWith("HTTP/1.1 200 OK\r\n"), response);
            assertTrue(response.endsWith("\r\n\r\nHello, World!"), response);
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    private static Candidate find(Path home, String name) {
        return References.of(home).stream()
                .filter(reference -> reference.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static SocketAddress address(ServerCommand command, Process process) throws IOException {
        if (command.listensAt().isPresent()) return command.listensAt().get();
        var line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        assertTrue(String.valueOf(line).startsWith("listening on 127.0.0.1:"), line);
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), Integer.parseInt(line.substring(line.lastIndexOf(':') + 1)));
    }

    private static String ask(SocketAddress server, Process process) throws IOException {
        while (true) {
            try (var socket = new Socket()) {
                socket.connect(server);
                socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            } catch (ConnectException notYet) {
                assertTrue(process.isAlive(), "it ended");
                Waiting.briefly();
            }
        }
    }
}
