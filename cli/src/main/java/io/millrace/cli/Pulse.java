package io.millrace.cli;

import io.millrace.Signals.Termination;
import io.millrace.Supervisor;
import java.time.Duration;

/// Waits for the end of a command, and meanwhile gives the service manager the signs of life that its watchdog wants.
///
/// @param command what has to live
record Pulse(Supervisor manager, Command command) {
    private static final Duration LOOK = Duration.ofSeconds(1);

    /// What the signs are about.
    interface Command {
        /// Whether every event loop does a small task within a time.
        boolean answersWithin(Duration limit) throws InterruptedException;
    }

    /// Waits for a moment.
    ///
    /// @return whether a signal came
    boolean await(Termination signals) throws InterruptedException {
        var limit = manager.watchdog();
        if (limit.isEmpty()) return signals.await(LOOK);
        // A look, an answer, and as much again to be late.
        var third = limit.get().dividedBy(3);
        if (command.answersWithin(third)) manager.alive();
        return signals.await(third.compareTo(LOOK) < 0 ? third : LOOK);
    }
}
