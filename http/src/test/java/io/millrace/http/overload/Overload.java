package io.millrace.http.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// Attacks a server that somebody else has started, and says how an honest peer fares: port, process, attack,
/// connections, seconds.
final class Overload {
    private Overload() {}

    public static void main(String[] arguments) throws Exception {
        var server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        long process = Long.parseLong(arguments[1]);
        var attack = Attack.valueOf(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        var time = Duration.ofSeconds(Long.parseLong(arguments[4]));
        var honest = new HonestPeer(server, Duration.ofSeconds(60));
        honest.askFor(Duration.ofSeconds(1));
        var usual = honest.worst();
        long before = residentKilobytes(process);
        var attacked = new HonestPeer(server, Duration.ofSeconds(60));
        String trouble = "";
        long connects;
        long resident;
        try (var attackers = new Attackers(server, attack, count)) {
            attacked.askFor(time);
            connects = attackers.connects();
        } catch (IOException e) {
            trouble = " TROUBLE: " + e.getMessage() + ": " + e.getCause();
            connects = -1;
        } finally {
            resident = residentKilobytes(process);
        }
        System.out.printf(
                "%s x %d for %d s: %d requests, worst %d ms (before: %d ms), %d connects, resident %d -> %d MiB%s%n",
                attack,
                count,
                time.toSeconds(),
                attacked.count(),
                attacked.worst().toMillis(),
                usual.toMillis(),
                connects,
                before >> 10,
                resident >> 10,
                trouble);
    }

    /// What the kernel says that a process has in memory.
    static long residentKilobytes(long process) throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(process), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }
}
