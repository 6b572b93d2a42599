package io.millrace.proxy.service;

import io.millrace.Server;
import io.millrace.loop.Wording;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executors;

/// The drain of a process, with a line in the log at its beginning and one at its end. Both name the process, because
/// it may share its log with the one that follows.
///
/// @param setting the name of the setting that `patience` comes from; empty if there is none
public record ToldDrain(System.Logger log, Duration patience, String setting) {
    /// Drains the servers at the same time, and does something else meanwhile.
    ///
    /// @param underWay what is known besides connections, as the end of a sentence; may be empty
    public void drain(Collection<Server> servers, String underWay, Runnable besides) {
        long beganNanos = System.nanoTime();
        int open = servers.stream().mapToInt(Server::connections).sum();
        tellBegin(open, underWay);
        try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var server : servers) each.execute(() -> server.drain(patience));
            each.execute(besides);
        }
        int cut = servers.stream().mapToInt(Server::cut).sum();
        if (open > 0 || cut > 0) tellEnd(cut, Duration.ofNanos(System.nanoTime() - beganNanos));
    }

    private void tellBegin(int open, String underWay) {
        if (open == 0) tell(Level.INFO, "ends: no connection is open");
        else
            tell(
                    Level.INFO,
                    "ends when " + Wording.count(open, "connection") + underWay + (open == 1 ? " has" : " have")
                            + " ended, at the latest in " + Wording.of(patience) + origin());
    }

    private void tellEnd(int cut, Duration took) {
        if (cut == 0) tell(Level.INFO, "has no connection any more, after " + Wording.of(took));
        else
            tell(
                    Level.WARNING,
                    "has cut " + Wording.count(cut, "connection") + ", open after " + Wording.of(took) + origin());
    }

    private String origin() {
        return setting.isEmpty() ? "" : " (" + setting + ")";
    }

    private void tell(Level level, String what) {
        log.log(level, "process " + ProcessHandle.current().pid() + " " + what);
    }
}
