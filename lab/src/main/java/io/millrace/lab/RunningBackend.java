package io.millrace.lab;

import io.millrace.lab.process.Cores;
import io.millrace.lab.process.ProcessMeter;
import io.millrace.lab.process.ServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The server behind the proxies of a run, which has no turns and is never paused; or none, for servers that answer
/// themselves.
final class RunningBackend implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(15);

    private final Optional<ServerProcess> server;
    private final String words;

    private RunningBackend(Optional<ServerProcess> server, String words) {
        this.server = server;
        this.words = words;
    }

    /// Starts what a plan needs.
    ///
    /// @param prefix of the commands of servers, for instance a network's
    static RunningBackend start(Plan plan, Optional<LabBackend> backend, String host, List<String> prefix, Cores cores)
            throws IOException, InterruptedException {
        if (backend.isEmpty()) return new RunningBackend(Optional.empty(), "");
        var pages = backend.get();
        pages.write(plan.sizesBytes());
        var all = Stream.concat(prefix.stream(), cores.backendPrefix().stream()).toList();
        var server = ServerProcess.start(pages.command("the backend", host), all, START_PATIENCE);
        var where = cores.backend().isEmpty() ? "not pinned" : "on cores " + cores.backend();
        return new RunningBackend(Optional.of(server), pages.name() + ", " + where);
    }

    /// For servers that stand in front of it.
    PeerSite behind(PeerSite site) {
        return server.map(ServerProcess::address)
                .map(address -> site.inFrontOf(address.getHostString() + ":" + address.getPort()))
                .orElse(site);
    }

    Optional<ProcessMeter> meter() {
        return server.map(running -> ProcessMeter.of(running.pid()));
    }

    /// For the report; empty when there is none.
    String words() {
        return words;
    }

    @Override
    public void close() {
        server.ifPresent(ServerProcess::close);
    }
}
