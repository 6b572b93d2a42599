package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Server;
import io.millrace.Signals.Termination;
import io.millrace.loop.Wording;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;

/// What every command that serves has in common: it says where it listens, serves until a signal ends it, and
/// lets its connections finish.
final class ServeCommand {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private ServeCommand() {}

    /// A command without one of its event loops is to end, and be started again by whoever looks after it: closing the
    /// loops throws then, which makes the exit code 1.
    static void endWith(EventLoops loops, Termination signals) {
        loops.broken().thenRun(signals::raise);
    }

    /// The line is a contract: whoever started the command waits for it.
    static void run(Server server, Termination signals, PrintWriter out) throws InterruptedException {
        run(List.of(server), signals, out);
    }

    /// The same, of something that listens in several places.
    static void run(List<Server> servers, Termination signals, PrintWriter out) throws InterruptedException {
        for (var server : servers) out.println("listening on " + Wording.of(server.address()));
        signals.await();
        try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var server : servers) each.execute(() -> server.drain(DRAIN));
        }
    }
}
