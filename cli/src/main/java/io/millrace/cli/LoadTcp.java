package io.millrace.cli;

import io.millrace.lab.load.EchoMessages;
import io.millrace.lab.load.LoadSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `millrace load tcp`: messages to an echo server.
@Command(name = "tcp", description = "Send messages to an echo server, and compare what comes back.")
final class LoadTcp implements Callable<Integer> {
    enum Verify {
        EVERY,
        NONE;

        @Override
        public String toString() {
            return Choices.word(this);
        }
    }

    @Option(
            names = "--to",
            required = true,
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToConnect.class,
            description = "The server: HOST:PORT or unix:PATH.")
    @SuppressWarnings("NullAway.Init")
    private SocketAddress server;

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
    private Optional<Integer> messages = Optional.empty();

    @Option(
            names = "--verify",
            paramLabel = "WHICH",
            description = "${COMPLETION-CANDIDATES}: whether each byte of every message is compared (the default).")
    private Verify verify = Verify.EVERY;

    @Mixin
    private final LoadOptions options = new LoadOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var echo = new EchoMessages(sizeBytes, verify == Verify.EVERY);
        return options.run(server, echo, Optional.empty(), messages, LoadDisplay.LoadWords.MESSAGES);
    }

    private static final class ToSize extends CountOption {
        ToSize() {
            super(1, LoadSettings.MAX_SIZE_BYTES);
        }
    }
}
