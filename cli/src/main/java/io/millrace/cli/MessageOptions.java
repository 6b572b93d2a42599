package io.millrace.cli;

import io.millrace.lab.load.LoadSettings;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The options of loads of messages.
final class MessageOptions {
    @Option(
            names = "--size",
            paramLabel = "BYTES",
            converter = ToSize.class,
            description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
    private int sizeBytes = 64;

    @Option(
            names = "--messages",
            paramLabel = "N",
            converter = LoadOptions.ToCount.class,
            description = "Messages to measure, instead of --seconds.")
    private Optional<Integer> count = Optional.empty();

    int sizeBytes() {
        return sizeBytes;
    }

    /// How many to measure; empty for a time.
    Optional<Integer> count() {
        return count;
    }

    private static final class ToSize extends CountOption {
        ToSize() {
            super(1, LoadSettings.MAX_SIZE_BYTES);
        }
    }
}
