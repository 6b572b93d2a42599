package io.millrace.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.net.ConnectException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every peer is a correct echo server. One that is not fails here and stays in the list: the lab reports it as such.
@Tag("slow")
@Tag("peers")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PeersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int POOL_THREADS = 4;
    private static final int MANY_CONNECTIONS = 100;

    static Stream<String> peers() {
        return EchoPeers.ALL.stream().filter(peer -> !peer.isMillrace()).map(MeasuredPeer::name);
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void echoes_a_small_message_at_once(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS);
                var client = new EchoClient(peer.port())) {
            for (int i = 0; i < 100; i++) {
                client.exchange(64);
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void echoes_messages_larger_than_its_buffers(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS);
                var client = new EchoClient(peer.port())) {
            for (int i = 0; i < 20; i++) {
                client.exchange(100 * 1024);
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void echoes_what_comes_without_waiting_for_answers(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS);
                var client = new EchoClient(peer.port())) {
            client.pipeline(64, 5_000_000 / 64);
            client.pipeline(1000, 5_000);
            client.pipeline(100 * 1024, 50);
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void serves_many_connections_that_come_and_go(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS)) {
            for (int round = 0; round < 2; round++) {
                var clients = new EchoClient[MANY_CONNECTIONS];
                for (int i = 0; i < clients.length; i++) {
                    clients[i] = new EchoClient(peer.port());
                }
                for (var client : clients) {
                    client.exchange(1000);
                }
                for (var client : clients) {
                    client.close();
                }
            }
        }
    }

    /// Its window is so small that the peer finds the socket full again and again.
    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void loses_nothing_to_a_client_that_takes_little_at_a_time(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS);
                var client = EchoClient.withLittleRoom(peer.port())) {
            client.pipeline(100 * 1024, 50);
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void serves_on_when_clients_vanish_in_the_middle(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS)) {
            for (int i = 0; i < MANY_CONNECTIONS; i++) {
                EchoClient.vanishInTheMiddle(peer.port());
            }
            try (var client = new EchoClient(peer.port())) {
                client.exchange(100 * 1024);
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void listens_on_the_address_it_is_told_and_on_no_other(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS, "127.0.0.2");
                var client = new EchoClient(InetAddress.ofLiteral("127.0.0.2"), peer.port())) {
            client.exchange(64);
            assertThrows(ConnectException.class, () -> new EchoClient(peer.port()));
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void ends_when_told_to_and_says_one_line_before(String name) throws Exception {
        try (var peer = RunningPeer.start(name, POOL_THREADS);
                var client = new EchoClient(peer.port())) {
            client.exchange(64);
            // Not Process.destroy, which would close the output that is read below.
            peer.process().toHandle().destroy();
            assertTrue(peer.process().waitFor(10, TimeUnit.SECONDS), "still there 10 s after SIGTERM");
            assertEquals(List.of(), peer.restOfStandardOutput());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void refuses_an_option_it_does_not_know(String name) throws Exception {
        var process = new ProcessBuilder(RunningPeer.command(name, POOL_THREADS, "--colour", "blue"))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(2, process.waitFor(), said);
        assertTrue(said.contains("--colour"), said);
    }
}
