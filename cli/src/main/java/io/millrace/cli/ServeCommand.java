package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Server;
import io.millrace.Signals.Termination;
import io.millrace.Supervisor;
import io.millrace.loop.Wording;
import io.millrace.proxy.service.ToldDrain;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/// Common to every command that serves: it prints its addresses, serves until a signal ends it, and lets its
/// connections finish.
final class ServeCommand {
    private static final System.Logger LOG = System.getLogger("io.millrace.manager");
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private ServeCommand() {}

    /// Clients would wait there in vain.
    static void warnOfUntaken(Supervisor manager) throws IOException {
        for (var socket : manager.sockets().untaken())
            LOG.log(Level.WARNING, "no listener has the service manager''s socket at {0}: clients wait there", socket);
    }

    /// If an event loop breaks, the command must end, to be restarted by its supervisor: then closing the loops
    /// throws, which makes the exit code 1.
    static void endWith(EventLoops loops, Termination signals) {
        loops.broken().thenRun(signals::raise);
    }

    /// The lines are a contract: scripts wait for them.
    static void run(List<Server> servers, EventLoops loops, Supervisor manager, Termination signals, PrintWriter out)
            throws IOException, InterruptedException {
        for (var server : servers) out.println("listening on " + Wording.of(server.address()));
        warnOfUntaken(manager);
        manager.ready("serves");
        var pulse = new Pulse(manager, loops::answerWithin);
        while (!pulse.await(signals)) {
            // Until there is one.
        }
        manager.stopping();
        new ToldDrain(LOG, DRAIN, "").drain(servers, "", () -> {});
    }
}
