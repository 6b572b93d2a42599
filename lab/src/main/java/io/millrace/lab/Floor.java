package io.millrace.lab;

import java.util.List;

/// A server written in C for just the workload: the baseline of a framework's cost.
public sealed interface Floor {
    /// What tables call it.
    String name();

    /// It was started here once and listened.
    ///
    /// @param words the command that starts it; `{port}` in it stands for where to listen, 0 for a free port, and
    ///     `{host}` for the IPv4 address. It prints `listening on HOST:PORT` once it accepts connections.
    record Ready(String name, List<String> words) implements Floor {
        public Ready {
            words = List.copyOf(words);
        }
    }

    /// It cannot run here.
    ///
    /// @param reason a sentence for those who look for it in a table
    record Absent(String name, String reason) implements Floor {}
}
