package io.millrace.cli;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Starts this command once more, as it is installed now, so that the new process takes over from this one.
final class NextProcess {
    private static final System.Logger LOG = System.getLogger("io.millrace.proxy");

    /// A variable of the environment, with the launcher that started this process.
    private static final String LAUNCHER = "MILLRACE_LAUNCHER";

    private final List<String> arguments;

    /// The one that was started last; guarded by this.
    private @Nullable Process next;

    /// @param arguments of this process
    NextProcess(List<String> arguments) {
        this.arguments = List.copyOf(arguments);
    }

    /// Starts it, unless one is starting already. If it ends before it serves, the log says so, and nothing has
    /// changed.
    synchronized void start() {
        if (next != null && next.isAlive()) {
            LOG.log(Level.WARNING, "process {0} is starting already, to take over", Long.toString(next.pid()));
            return;
        }
        // The JDK's helper for starting processes may be another version's by now, and would refuse.
        if (System.getProperty("jdk.lang.Process.launchMechanism") == null)
            System.setProperty("jdk.lang.Process.launchMechanism", "FORK");
        var builder = new ProcessBuilder(command())
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.INHERIT)
                .redirectError(Redirect.INHERIT);
        // They name this process.
        for (var name : List.of("WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"))
            builder.environment().remove(name);
        try {
            var started = builder.start();
            next = started;
            LOG.log(Level.INFO, "process {0} starts, to take over", Long.toString(started.pid()));
            var _ = started.onExit().thenAccept(NextProcess::tellItEnded);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "no process takes over, and this one goes on serving: {0}", e.getMessage());
        }
    }

    private static void tellItEnded(Process ended) {
        LOG.log(
                Level.WARNING,
                "process {0} ended with {1}, and does not take over: this one goes on serving",
                Long.toString(ended.pid()),
                Integer.toString(ended.exitValue()));
    }

    private List<String> command() {
        var launcher = Optional.ofNullable(System.getenv(LAUNCHER));
        if (launcher.isEmpty()) return ownCommand();
        var command = new ArrayList<>(List.of(launcher.get()));
        command.addAll(arguments);
        return command;
    }

    /// Without a launcher, as the kernel knows it.
    private static List<String> ownCommand() {
        var info = ProcessHandle.current().info();
        var command = new ArrayList<>(List.of(info.command().orElse("java")));
        command.addAll(List.of(info.arguments().orElse(new String[0])));
        return command;
    }
}
