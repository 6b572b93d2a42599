package io.millrace.cli;

import io.millrace.lab.load.EchoMessages;
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
            names = "--verify",
            paramLabel = "WHICH",
            description = "${COMPLETION-CANDIDATES}: whether each byte of every message is compared (the default).")
    private Verify verify = Verify.EVERY;

    @Mixin
    private final MessageOptions messages = new MessageOptions();

    @Mixin
    private final LoadOptions options = new LoadOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var echo = new EchoMessages(messages.sizeBytes(), verify == Verify.EVERY);
        return options.run(server, echo, Optional.empty(), messages.count(), LoadDisplay.LoadWords.MESSAGES);
    }
}
