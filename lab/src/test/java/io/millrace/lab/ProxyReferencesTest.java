package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.load.Page;
import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerProcess;
import io.millrace.testing.EndsChildren;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyReferencesTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int SIZE = 64 * 1024;

    /// What is not installed is skipped; without nginx our own server would be the backend, and it is built after this.
    @ParameterizedTest
    @ValueSource(
            strings = {"direct", "haproxy-tcp", "haproxy-tcp-splice", "haproxy-http", "nginx-stream", "nginx-proxy"})
    void passes_on_a_page(String name, @TempDir Path home) throws Exception {
        assumeTrue(Programs.find("nginx").isPresent(), "nginx is not installed");
        var pages = LabBackend.of(home);
        // In its stead the pages come from our own server, which is a module above this one.
        assumeTrue(pages.name().equals("nginx"), "nginx is not installed");
        var proxy = ProxyReferences.of(home, pages).stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        assumeTrue(proxy.unavailableBecause().isEmpty(), proxy.unavailableBecause());
        pages.write(List.of(SIZE));
        try (var backend = ServerProcess.start(pages.command("backend", "127.0.0.1"), List.of(), PATIENCE);
                var running = ServerProcess.start(
                        proxy.recipe()
                                .command(PeerSite.at("127.0.0.1")
                                        .inFrontOf(
                                                "127.0.0.1:" + backend.address().getPort())),
                        List.of(),
                        PATIENCE);
                var client = HttpClient.newHttpClient()) {
            assertTrue(backend.isAlive());
            var uri = URI.create("http://127.0.0.1:" + running.address().getPort() + "/" + Page.name(SIZE));
            var response = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofByteArray());
            assertEquals(200, response.statusCode());
            assertArrayEquals(Page.content(SIZE), response.body());
        }
    }
}
