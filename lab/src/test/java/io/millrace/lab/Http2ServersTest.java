package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.load.Exchange;
import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerProcess;
import io.millrace.lab.report.LoadShape;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The servers and proxies for HTTP/2 pass the lab's own check. What is not installed is skipped.
@Tag("slow")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2ServersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final LoadShape PLAINTEXT = new LoadShape(Exchange.STREAMS, 13, 4, 10, "");
    private static final LoadShape PAGES = new LoadShape(Exchange.STREAMED_PAGES, 600, 4, 10, "");

    @ParameterizedTest
    @ValueSource(strings = {"nginx", "nghttpd"})
    void answers_in_clear_text_and_over_tls(String name, @TempDir Path home) throws Exception {
        var server = find(name, Http2References.of(home));
        check(server, Optional.empty());
        check(server, Optional.of(Identity.make(KeyKind.ECDSA, "127.0.0.1")));
    }

    static Stream<String> peers() {
        return Stream.concat(
                Http2Peers.of(HOME, 1).stream()
                        .map(Candidate::name)
                        .filter(name -> !name.startsWith(MeasuredPeer.MILLRACE)),
                Stream.of("go-net-http", "rust-hyper"));
    }

    /// They have to be built, and the last two are compiled.
    @Tag("peers")
    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void peer_answers_in_clear_text_and_over_tls(String name) throws Exception {
        var all = Stream.concat(Http2Peers.of(HOME, 1).stream(), Http2References.of(HOME).stream());
        var server = find(name, all.toList());
        check(server, Optional.empty());
        check(server, Optional.of(Identity.make(KeyKind.ECDSA, "127.0.0.1")));
    }

    private static void check(Candidate server, Optional<Identity> identity) throws Exception {
        var clear = PeerSite.at("127.0.0.1");
        check(server, identity.map(clear::as).orElse(clear), identity, PLAINTEXT);
    }

    private static void check(Candidate server, PeerSite site, Optional<Identity> identity, LoadShape trial)
            throws Exception {
        var command = server.recipe().command(site);
        try (var load = LoadProcess.start(List.of(), 1);
                var contender =
                        new Contender(server, ServerProcess.start(command, List.of(), PATIENCE), load, identity)) {
            contender.check(trial);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx-proxy", "haproxy-http"})
    void proxy_passes_on_pages(String name, @TempDir Path home) throws Exception {
        assumeTrue(Programs.find("nginx").isPresent(), "nginx is not installed");
        var proxy = find(name, ProxyReferences.ofHttp2(home));
        var pages = LabBackend.of(home);
        pages.write(List.of(PAGES.sizeBytes()));
        try (var backend = ServerProcess.start(pages.command("backend", "127.0.0.1"), List.of(), PATIENCE)) {
            var address = "127.0.0.1:" + backend.address().getPort();
            check(proxy, PeerSite.at("127.0.0.1").inFrontOf(address), Optional.empty(), PAGES);
        }
    }

    /// A server for HTTP/1.1 is no right one.
    @Test
    void a_server_for_http_1_does_not_pass(@TempDir Path home) {
        var server = find("nginx", References.of(home));
        assertThrows(IOException.class, () -> check(server, Optional.empty()));
    }

    private static Candidate find(String name, List<Candidate> all) {
        var found = all.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        assumeTrue(found.unavailableBecause().isEmpty(), found.unavailableBecause());
        return found;
    }
}
