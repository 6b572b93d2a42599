package io.millrace.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// A peer in a process of its own, on a port that was free. What it says on standard error is a file, which is shown
/// when it does not start.
record RunningPeer(Process process, BufferedReader standardOutput, int port) implements AutoCloseable {
    static RunningPeer start(String name, int poolThreads) throws IOException {
        return start(name, poolThreads, "127.0.0.1");
    }

    static RunningPeer start(String name, int poolThreads, String host) throws IOException {
        Path errors = Files.createTempFile("peer", ".err");
        errors.toFile().deleteOnExit();
        var process = new ProcessBuilder(command(name, poolThreads, "--host", host))
                .redirectError(errors.toFile())
                .start();
        var standardOutput = process.inputReader(UTF_8);
        String line = standardOutput.readLine();
        String greeting = "listening on " + host + ":";
        if (line == null || !line.startsWith(greeting)) {
            process.destroyForcibly();
            throw new IOException(name + " did not start; it said " + line + " and " + Files.readString(errors));
        }
        return new RunningPeer(process, standardOutput, Integer.parseInt(line.substring(greeting.length())));
    }

    static List<String> command(String name, int poolThreads, String... more) throws IOException {
        MeasuredPeer peer = EchoPeers.ALL.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        var peers = Path.of("peers").toAbsolutePath();
        return Stream.concat(
                        peer.command(peers, PeerSite.at("127.0.0.1"), poolThreads).words().stream(), Stream.of(more))
                .toList();
    }

    /// Once the process has ended.
    List<String> restOfStandardOutput() {
        return standardOutput.lines().toList();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        standardOutput.close();
    }
}
