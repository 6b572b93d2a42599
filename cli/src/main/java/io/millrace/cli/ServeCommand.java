package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Server;
import io.millrace.Signals.Termination;
import io.millrace.loop.Wording;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;

/// Common to every command that serves: it prints its addresses, serves until a signal ends it, and lets its
/// connections finish.
final class ServeCommand {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private ServeCommand() {}

    /// If an event loop breaks, the command must end, to be restarted by its supervisor: then closing the loops
    /// throws, which makes the exit code 1.
    static void endWith(EventLoops loops, Termination signals) {
        loops.broken().thenRun(signals::raise);
    }

    /// The line is a contract: scripts wait for it.
    static void run(Server server, Termination signals, PrintWriter out) throws InterruptedException {
        run(List.of(server), signals, out);
    }

    /// The same for several listeners.
    static void run(List<Server> servers, Termination signals, PrintWriter out) throws InterruptedException {
        for (var server : servers) out.println("listening on " + Wording.of(server.address()));
        signals.await();
        try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var server : servers) each.execute(() -> server.drain(DRAIN));
        }
    }
}
