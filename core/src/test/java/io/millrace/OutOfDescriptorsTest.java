package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Child;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A server whose process is out of descriptors, in a process of its own that may have few of them.
@Tag("slow")
@Tag("abuse")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutOfDescriptorsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int DESCRIPTORS = 64;
    private static final int PEERS = 128;
    private static final int LOOKS = "full".equals(System.getProperty("millrace.abuse")) ? 100 : 15;

    @ParameterizedTest
    @CsvSource({"NIO, callback", "EPOLL, callback", "NIO, direct", "EPOLL, direct", "URING, callback", "URING, direct"})
    void serves_those_it_has_waits_quietly_and_accepts_again(Loops kind, String style, @TempDir Path folder)
            throws Exception {
        Proc.assumeIsThere();
        var peers = new ArrayList<RawPeer>();
        kind.assumeWorks();
        try (var child = Child.startWithDescriptors(DESCRIPTORS, folder, EchoProcess.class, kind, style)) {
            int port = Integer.parseInt(child.next());
            for (int i = 0; i < PEERS; i++) peers.add(RawPeer.of(port));
            int served = (int) awaitRefusals(child, 1).connections();
            assertTrue(served > 0 && served < DESCRIPTORS, "connections: " + served);
            assertEchoes(peers.subList(0, served));
            assertWaitsQuietly(child, folder.resolve("log"));
            assertEchoes(peers.subList(0, served));

            // The kernel hands connections out in the order in which they came.
            peers.subList(0, served / 2).forEach(RawPeer::close);
            assertEchoes(peers.subList(served, served + served / 2));
            peers.forEach(RawPeer::close);
            while (counters(child).connections() > 0) Waiting.briefly();
            try (var late = RawPeer.of(port)) {
                late.send("x").assertReads("x");
            }
            assertEquals(0, child.end());
        } finally {
            peers.forEach(RawPeer::close);
        }
    }

    private static void assertEchoes(List<RawPeer> peers) throws IOException {
        for (var peer : peers) peer.send("x");
        for (var peer : peers) peer.assertReads("x");
    }

    /// Few turns, little processor time, and a line in the log once a second at most.
    private static void assertWaitsQuietly(Child child, Path log) throws IOException {
        var before = counters(child);
        var cpuBefore = cpu(child);
        long linesBefore = lines(log);
        long startNanos = System.nanoTime();
        var after = awaitRefusals(child, before.refusals() + LOOKS);
        var cpu = cpu(child).minus(cpuBefore);
        var wall = Duration.ofNanos(System.nanoTime() - startNanos);
        long looks = after.refusals() - before.refusals();
        long turns = after.turns() - before.turns();
        assertTrue(turns <= 10 * looks, turns + " turns between " + looks + " looks for a descriptor");
        assertTrue(cpu.multipliedBy(2).compareTo(wall) < 0, cpu + " of processor time in " + wall);
        long written = lines(log) - linesBefore;
        assertTrue(written <= wall.toSeconds() + 2, written + " lines in " + wall + ": " + Files.readString(log));
        assertTrue(lines(log) > 0, "the log says nothing: " + Files.readString(log));
    }

    private static Duration cpu(Child child) {
        return child.handle().info().totalCpuDuration().orElseThrow();
    }

    private static long lines(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains("guard descriptors acted"))
                .count();
    }

    private record Counters(long connections, long refusals, long turns) {}

    private static Counters counters(Child child) throws IOException {
        var numbers = child.askNumbers("counters");
        return new Counters(numbers[0], numbers[1], numbers[2]);
    }

    private static Counters awaitRefusals(Child child, long count) throws IOException {
        for (var now = counters(child); ; now = counters(child)) {
            if (now.refusals() >= count) return now;
            // The child answers with a thread of its own, whose time must not count as its loop's.
            LockSupport.parkNanos(20_000_000);
        }
    }
}
