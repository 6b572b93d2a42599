package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.load.Exchange;
import io.millrace.lab.process.ServerProcess;
import io.millrace.lab.report.LoadShape;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The servers with WebSockets pass the lab's own check. What is not installed is skipped.
@Tag("slow")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WsServersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    /// They do not compress.
    private static final List<String> PLAIN =
            List.of("t-io", "voovan", "netty-epoll-bytes", "c-broadcast", "c-broadcast-together");

    static Stream<String> echoing() throws InterruptedException {
        return foreign(Workload.WS);
    }

    static Stream<String> broadcasting() throws InterruptedException {
        return foreign(Workload.BROADCAST);
    }

    private static Stream<String> foreign(Workload workload) throws InterruptedException {
        return Catalogue.of(HOME, workload, 1, Map.of()).entries().stream()
                .map(Catalogue.Entry::name)
                .filter(name -> !name.startsWith(MeasuredPeer.MILLRACE));
    }

    /// They have to be built, and some are compiled or installed.
    @Tag("peers")
    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("echoing")
    void peer_sends_messages_back(String name) throws Exception {
        check(Workload.WS, name, Exchange.WS_ECHO, 64, 20_000);
    }

    @Tag("peers")
    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("broadcasting")
    void peer_sends_messages_to_all(String name) throws Exception {
        check(Workload.BROADCAST, name, Exchange.BROADCAST, 64, 20_000);
    }

    @Tag("peers")
    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("broadcasting")
    void peer_sends_messages_to_all_compressed(String name) throws Exception {
        if (!PLAIN.contains(name)) {
            check(Workload.BROADCAST, name, Exchange.PACKED_BROADCAST, 64, 20_000);
            return;
        }
        var failed =
                assertThrows(IOException.class, () -> check(Workload.BROADCAST, name, Exchange.PACKED_BROADCAST, 64));
        assertTrue(String.valueOf(failed.getMessage()).contains("does not compress messages"), failed::toString);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"c-broadcast", "c-broadcast-together"})
    void the_floor_sends_messages_to_all(String name) throws Exception {
        check(Workload.BROADCAST, name, Exchange.BROADCAST, 64, 20_000);
    }

    /// A server without WebSockets is no right one.
    @Test
    void an_echo_server_does_not_pass() throws Exception {
        var floor = find(Workload.PINGPONG, "c-epoll");
        assertThrows(IOException.class, () -> check(floor, new LoadShape(Exchange.BROADCAST, 64, 4, 1, "")));
    }

    private static void check(Workload workload, String name, Exchange exchange, int... sizesBytes) throws Exception {
        var server = find(workload, name);
        for (int sizeBytes : sizesBytes) check(server, new LoadShape(exchange, sizeBytes, 4, 1, ""));
    }

    private static void check(Candidate server, LoadShape trial) throws Exception {
        var command = server.recipe().command(PeerSite.at("127.0.0.1"));
        try (var load = LoadProcess.start(List.of(), 1);
                var contender = new Contender(
                        server, ServerProcess.start(command, List.of(), PATIENCE), load, Optional.empty())) {
            contender.check(trial);
        }
    }

    private static Candidate find(Workload workload, String name) throws InterruptedException {
        var found =
                Catalogue.of(HOME, workload, 1, Map.of()).find(List.of(name)).getFirst();
        assumeTrue(found.unavailableBecause().isEmpty(), found.unavailableBecause());
        return found;
    }
}
