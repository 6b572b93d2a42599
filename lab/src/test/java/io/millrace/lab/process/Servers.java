package io.millrace.lab.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Servers that are a line of shell. They say where they listen, and do not.
final class Servers {
    static final Duration LONG = Duration.ofMinutes(10);
    static final String GREETS = "echo listening on 127.0.0.1:4711";
    static final String STAYS = "exec sleep 1000";

    private Servers() {}

    static ServerCommand command(String script) {
        return new ServerCommand("toy", List.of("sh", "-c", script), Optional.empty());
    }

    static ServerCommand commandListeningAt(String script, InetSocketAddress address) {
        return new ServerCommand("toy", List.of("sh", "-c", script), Optional.of(address));
    }

    /// A server that has started.
    static ServerProcess start(String script) throws IOException, InterruptedException {
        return ServerProcess.start(command(script), List.of(), LONG);
    }

    /// The processes of a server, all but those whose parent has ended.
    static List<ProcessHandle> processes(ServerProcess server) {
        return ProcessHandle.of(server.pid()).stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .toList();
    }
}
