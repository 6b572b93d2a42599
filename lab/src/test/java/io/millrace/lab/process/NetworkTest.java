package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NetworkTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int TRANSFER_BYTES = 64 * 1024 * 1024;

    @Test
    void the_loopback_needs_nothing() {
        try (var network = TestNetwork.loopback()) {
            assertEquals("127.0.0.1", network.serverHost());
            assertEquals(List.of(), network.serverPrefix());
            assertEquals(List.of(), network.loadPrefix());
            assertEquals("loopback", network.words());
        }
    }

    @Test
    void who_is_not_root_is_told_so() throws Exception {
        assumeTrue(!isRoot() && isInstalled(), "we are root, or there is no ip and tc here");
        var refused = assertThrows(IOException.class, TestNetwork::shaped1Gbit);
        assertTrue(refused.toString().contains("needs root"), refused.toString());
    }

    @Test
    void a_transfer_goes_through_the_link_and_is_as_slow_as_it() throws Exception {
        assumeNamespaces();
        try (var network = TestNetwork.shaped1Gbit();
                var server = startServer(network)) {
            assertEquals("1gbit", network.words());
            var words = new ArrayList<>(network.loadPrefix());
            words.addAll(TestJvm.command(
                    Transfer.class,
                    "receive",
                    network.serverHost(),
                    server.address().getPort()));
            var client = Children.start(new ProcessBuilder(words).redirectError(Redirect.INHERIT));
            var answer = client.inputReader(UTF_8).readLine().split(" ", -1);
            assertEquals(TRANSFER_BYTES, Long.parseLong(answer[0]));
            double gigabitsPerSecond = TRANSFER_BYTES * 8.0 / Long.parseLong(answer[1]);
            assertTrue(gigabitsPerSecond < 1.0, gigabitsPerSecond + " Gbit/s");
            assertTrue(sentBytes(network) > TRANSFER_BYTES, sentBytes(network) + " bytes sent");
        }
    }

    @Test
    void a_server_in_it_that_says_nothing_is_asked_too() throws Exception {
        assumeNamespaces();
        try (var network = TestNetwork.shaped1Gbit()) {
            var address = new InetSocketAddress(InetAddress.ofLiteral(network.serverHost()), 4711);
            var words = TestJvm.command(Transfer.class, "serve", network.serverHost(), 4711, 1);
            var command = new ServerCommand("silent", words, Optional.of(address));
            try (var server = ServerProcess.start(command, network.serverPrefix(), Servers.LONG)) {
                assertEquals(address, server.address());
            }
        }
    }

    @Test
    void a_jvm_in_it_tells_of_its_memory() throws Exception {
        assumeNamespaces();
        try (var network = TestNetwork.shaped1Gbit();
                var server = startServer(network);
                var meter = JvmMeter.attach(server.pid()).orElseThrow()) {
            assertTrue(meter.read().heapUsedBytes() > 0);
            meter.collect();
            assertTrue(meter.read().gcCount() > 0);
        }
    }

    @Test
    void two_of_them_do_not_collide_with_those_of_another_lab() throws Exception {
        assumeNamespaces();
        var other = new ProcessBuilder(TestJvm.command(Transfer.class, "network")).start();
        try (var ours = TestNetwork.shaped1Gbit()) {
            assertEquals("1gbit", ours.words());
            assertEquals("made", other.inputReader(UTF_8).readLine());
            assertEquals(2, namespacesOf(ProcessHandle.current().pid()).size());
            assertEquals(2, namespacesOf(other.pid()).size());
        } finally {
            other.destroy();
            other.waitFor();
        }
    }

    @Test
    void closing_takes_it_down() throws Exception {
        assumeNamespaces();
        var network = TestNetwork.shaped1Gbit();
        long pid = ProcessHandle.current().pid();
        assertEquals(2, namespacesOf(pid).size());
        network.close();
        network.close();
        assertEquals(List.of(), namespacesOf(pid));
    }

    @Test
    void the_end_of_the_jvm_takes_it_down_with_what_runs_in_it() throws Exception {
        assumeNamespaces();
        var lab = new ProcessBuilder(TestJvm.command(Transfer.class, "network"))
                .redirectError(Redirect.INHERIT)
                .start();
        assertEquals("made", lab.inputReader(UTF_8).readLine());
        var children = lab.descendants().toList();
        assertEquals(2, namespacesOf(lab.pid()).size());
        assertFalse(children.isEmpty());
        lab.toHandle().destroy();
        lab.waitFor();
        assertEquals(List.of(), namespacesOf(lab.pid()));
        assertTrue(children.stream().noneMatch(ProcessTree::isAlive));
    }

    private static ServerProcess startServer(TestNetwork network) throws IOException, InterruptedException {
        var words = TestJvm.command(Transfer.class, "serve", network.serverHost(), 0, TRANSFER_BYTES);
        var command = new ServerCommand("sender", words, Optional.empty());
        return ServerProcess.start(command, network.serverPrefix(), Servers.LONG);
    }

    /// Of the server's end of the link, which is the only device of its namespace besides `lo`.
    private static long sentBytes(TestNetwork network) throws IOException {
        var words = new ArrayList<>(network.serverPrefix());
        words.addAll(List.of("sh", "-c", "cat /sys/class/net/mrs*/statistics/tx_bytes"));
        var process = new ProcessBuilder(words).redirectError(Redirect.INHERIT).start();
        return Long.parseLong(new String(process.getInputStream().readAllBytes(), UTF_8).strip());
    }

    private static List<Path> namespacesOf(long pid) throws IOException {
        try (var files = Files.newDirectoryStream(Path.of("/run/netns"), "millrace-" + pid + "-*")) {
            var found = new ArrayList<Path>();
            files.forEach(found::add);
            return found;
        }
    }

    private static void assumeNamespaces() {
        assumeTrue(isRoot() && isInstalled(), "network namespaces need root, ip and tc");
    }

    private static boolean isInstalled() {
        return Programs.find("ip").isPresent() && Programs.find("tc").isPresent();
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
