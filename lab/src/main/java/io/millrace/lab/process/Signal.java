package io.millrace.lab.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Signals that a [ProcessHandle] cannot send.
enum Signal {
    STOP,
    CONT;

    private static final Duration ALL_OBEY_WITHIN = Duration.ofSeconds(5);
    /// Then it is sent again, to those that were started in the meantime.
    private static final Duration EACH_OBEYS_WITHIN = Duration.ofMillis(100);

    /// Sends it to a tree until every process of it has stopped, or goes on.
    ///
    /// @return those that did not within 5 s
    List<ProcessHandle> impose(ProcessTree tree) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + ALL_OBEY_WITHIN.toNanos();
        var left = disobedient(tree);
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            send(left);
            var sentTo = left;
            boolean ignored = Wait.until(() -> sentTo.stream().allMatch(this::isObeyedBy), EACH_OBEYS_WITHIN);
            left = disobedient(tree);
        }
        return left;
    }

    private List<ProcessHandle> disobedient(ProcessTree tree) {
        return tree.alive().stream().filter(process -> !isObeyedBy(process)).toList();
    }

    private boolean isObeyedBy(ProcessHandle process) {
        return !ProcessTree.isAlive(process) || Proc.of(process).isStopped() == (this == STOP);
    }

    /// Sends it once, with the `kill` of a shell, which every system has. Those that have ended are passed over.
    void send(Collection<ProcessHandle> processes) throws IOException, InterruptedException {
        if (processes.isEmpty()) {
            return;
        }
        var words = new ArrayList<>(List.of("sh", "-c", "kill -s \"$0\" \"$@\"", name()));
        for (var process : processes) {
            words.add(Long.toString(process.pid()));
        }
        new ProcessBuilder(words)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
