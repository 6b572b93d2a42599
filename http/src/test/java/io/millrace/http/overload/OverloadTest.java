package io.millrace.http.overload;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Guard;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// While many peers do what they should not, one that asks for a page on a fresh connection gets it, the guards show
/// in their counters and the log, and memory stays bounded. `-Dmillrace.abuse=full` attacks with thousands, and
/// `-Dmillrace.abuse=quiet` also allows no more than a second for the page, on a machine that does nothing else.
@Tag("slow")
@Tag("abuse")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OverloadTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final boolean IS_QUIET = "quiet".equals(System.getProperty("millrace.abuse"));
    private static final boolean IS_FULL = IS_QUIET || "full".equals(System.getProperty("millrace.abuse"));

    /// What acceptance wants; elsewhere only that there is an answer, however busy the machine is.
    private static final Duration MOST_LATENCY = IS_QUIET ? Duration.ofSeconds(1) : Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofSeconds(IS_FULL ? 10 : 1);
    private static final Duration ATTACK = IS_FULL ? Duration.ofSeconds(12) : Duration.ofMillis(500);
    private static final Duration MOMENT = Duration.ofMillis(50);
    private static final int SLOW_PEERS = IS_FULL ? 5000 : 300;
    private static final int SILENT_PEERS = IS_FULL ? 10_000 : 300;
    private static final int FLOODING_PEERS = IS_FULL ? 50 : 10;
    private static final int DESCRIPTORS = 16_000;
    private static final int FEW_DESCRIPTORS = IS_FULL ? 1000 : 200;

    /// Attacks that are over before what the optimizing compiler does pays.
    private static final List<String> FLAGS =
            IS_FULL ? List.of() : List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /// A quarter of the heap may be slabs; the rest is the JVM's.
    private static final long MOST_RESIDENT_BYTES = 700L << 20;

    @TempDir
    private static Path folder;

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void heads_that_go_on_by_a_byte_now_and_then(TransportKind transport) throws Exception {
        try (var server = start(transport, DESCRIPTORS)) {
            attack(server, Attack.SLOW_HEAD, SLOW_PEERS, HttpGuards.HEAD_TIMEOUT);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void bodies_that_go_on_by_a_byte_now_and_then(TransportKind transport) throws Exception {
        try (var server = start(transport, DESCRIPTORS)) {
            // It takes ten seconds to act, which the suite does not wait for.
            var guards = IS_FULL ? new Guard[] {HttpGuards.BODY_RATE} : new Guard[0];
            attack(server, Attack.SLOW_BODY, SLOW_PEERS, guards);
            attack(server, Attack.SLOW_STREAM, SLOW_PEERS, guards);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void responses_that_nobody_reads(TransportKind transport) throws Exception {
        try (var server = start(transport, DESCRIPTORS)) {
            attack(server, Attack.SLOW_READ, SLOW_PEERS, CoreGuards.WRITE_TIMEOUT);
            attack(server, Attack.SLOW_READ_PIPELINED, SLOW_PEERS / 10, CoreGuards.WRITE_TIMEOUT);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void floods(TransportKind transport) throws Exception {
        try (var server = start(transport, DESCRIPTORS)) {
            attack(server, Attack.FIELDS, FLOODING_PEERS, HttpGuards.FIELDS);
            attack(server, Attack.LONG_FIELDS, FLOODING_PEERS, HttpGuards.HEAD);
            attack(server, Attack.REQUEST_LINE, FLOODING_PEERS, HttpGuards.REQUEST_LINE);
            attack(server, Attack.TRAILERS, FLOODING_PEERS, HttpGuards.FIELDS);
            // What has no limit of its own, or is no more than others ask for.
            attack(server, Attack.EXTENSIONS, FLOODING_PEERS);
            attack(server, Attack.TINY_CHUNKS, FLOODING_PEERS);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void more_connections_than_there_are_descriptors(TransportKind transport) throws Exception {
        try (var server = start(transport, FEW_DESCRIPTORS)) {
            attack(server, Attack.SILENCE, 2 * FEW_DESCRIPTORS, CoreGuards.DESCRIPTORS);
            attack(server, Attack.SLOW_HEAD, 2 * FEW_DESCRIPTORS, CoreGuards.DESCRIPTORS);
        }
    }

    /// Handshakes that come to nothing; the honest one asks over TLS, too.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void handshakes_that_come_to_nothing(TransportKind transport) throws Exception {
        try (var server = start(transport, DESCRIPTORS)) {
            attackTls(server, Attack.SILENCE, SILENT_PEERS, CoreGuards.TLS_TIMEOUT);
            attackTls(server, Attack.HUGE_HELLO, FLOODING_PEERS, CoreGuards.TLS_HELLO);
            attackTls(server, Attack.TINY_RECORDS, FLOODING_PEERS, CoreGuards.TLS_HELLO);
            if (!IS_FULL) return;
            attackTls(server, Attack.HALF_A_HELLO, SILENT_PEERS, CoreGuards.TLS_TIMEOUT);
            attackTls(server, Attack.HELLO, SLOW_PEERS / 5, CoreGuards.TLS_TIMEOUT);
        }
    }

    private static void attackTls(ServerProcess server, Attack attack, int peers, Guard guard) throws Exception {
        var honest = new HonestPeer(
                server.secureAddress(), Optional.of(TlsHello.credulous().getSocketFactory()), Duration.ofSeconds(60));
        honest.ask();
        attack(server, server.secureAddress(), honest.again(), attack, peers, guard);
    }

    private ServerProcess start(TransportKind transport, int descriptors) throws IOException {
        if (transport == TransportKind.URING) {
            Transports.unavailableBecause(transport).ifPresent(why -> abort("io_uring does not work here: " + why));
        }
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no /proc");
        var server = new ServerProcess(transport, FLAGS, descriptors, PATIENCE, folder);
        if (IS_FULL) warmUp(server);
        return server;
    }

    /// A JVM that has just started is slow of itself, and its compilers take the processors that there are.
    private static void warmUp(ServerProcess server) throws IOException {
        try (var _ = new Attackers(server.address(), Attack.FIELDS, FLOODING_PEERS)) {
            new HonestPeer(server.address(), PATIENCE).askFor(Duration.ofSeconds(6));
        }
    }

    private static void attack(ServerProcess server, Attack attack, int peers, Guard... guards) throws Exception {
        var honest = new HonestPeer(server.address(), Duration.ofSeconds(60));
        attack(server, server.address(), honest, attack, peers, guards);
    }

    private static void attack(
            ServerProcess server,
            InetSocketAddress address,
            HonestPeer honest,
            Attack attack,
            int peers,
            Guard... guards)
            throws Exception {
        long before = server.residentBytes();
        try (var attackers = new Attackers(address, attack, peers)) {
            honest.askFor(ATTACK);
            attackers.awaitAll();
            honest.ask();
            for (var guard : guards) {
                while (server.count(guard) == 0 || server.logged(guard) == 0) honest.askFor(MOMENT);
            }
        }
        long resident = server.residentBytes();
        if (IS_FULL) {
            System.out.printf(
                    "%s x %d: %d requests, worst %d ms, resident %d -> %d MiB%n",
                    attack, peers, honest.count(), honest.worst().toMillis(), before >> 20, resident >> 20);
        }
        assertTrue(honest.worst().compareTo(MOST_LATENCY) < 0, () -> attack + ": " + honest.worst());
        assertTrue(resident < MOST_RESIDENT_BYTES, () -> attack + ": " + (resident >> 20) + " MiB resident");
    }
}
