package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.TransportKind;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options of commands that serve until a signal ends them.
final class LoopOptions {
    @Mixin
    private final TransportOptions transport = new TransportOptions();

    @Option(
            names = "--loops",
            paramLabel = "N",
            converter = CountOption.OfThreads.class,
            description =
                    "Event loops, a thread each; by default one for each core, or fewer with a heap of less than 8 MiB for each.")
    private int count = EventLoops.configure().threads();

    int count() {
        return count;
    }

    TransportKind transport() {
        return transport.kind();
    }

    /// @param name the beginning of the threads' names
    EventLoops start(String name) throws IOException {
        return transport.start(EventLoops.configure().name(name).threads(count));
    }
}
