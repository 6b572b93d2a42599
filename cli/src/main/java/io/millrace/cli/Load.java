package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Signals;
import io.millrace.lab.load.EchoLoad;
import io.millrace.lab.load.LoadJson;
import io.millrace.lab.load.LoadSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `millrace load tcp`: puts load on an echo server and measures it.
@Command(
        name = "load",
        description = "Send messages to an echo server, compare what comes back, and measure how long it takes. When"
                + " a message has come back the next one is sent (closed loop); with --rate messages start when they"
                + " are due, and are measured from then (open loop).")
final class Load implements Callable<Integer> {
    enum Verify {
        EVERY,
        NONE;

        @Override
        public String toString() {
            return Choices.word(this);
        }
    }

    @Parameters(paramLabel = "PROTOCOL", converter = ToProtocol.class, description = "tcp: an echo server.")
    @SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // there is one, and it says nothing more
    private String protocol;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "HOST:PORT",
            converter = HostPort.ToConnect.class,
            description = "The server: HOST:PORT or unix:PATH.")
    @SuppressWarnings("NullAway.Init")
    private SocketAddress server;

    @Option(
            names = "--connections",
            paramLabel = "N",
            converter = Count.OfConnections.class,
            description = "Connections (default: ${DEFAULT-VALUE}).")
    private int connections = 50;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            converter = ToSize.class,
            description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
    private int sizeBytes = 64;

    @Option(
            names = "--depth",
            paramLabel = "N",
            converter = ToDepth.class,
            description = "Messages under way on each connection: by default 1; with --rate at most so many, by"
                    + " default 1000.")
    private Optional<Integer> depth = Optional.empty();

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = ToRate.class,
            description = "Messages per second, on all connections together.")
    private Optional<Integer> rate = Optional.empty();

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            converter = ToWarmUp.class,
            description = "Seconds before the measurement (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds = 2;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            converter = Count.OfSeconds.class,
            description = "Seconds to measure (default: 10).")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--messages",
            paramLabel = "N",
            converter = ToMessages.class,
            description = "Messages to measure, instead of --seconds.")
    private Optional<Integer> messages = Optional.empty();

    @Option(
            names = "--verify",
            paramLabel = "WHICH",
            description = "${COMPLETION-CANDIDATES}: whether each byte of every message is compared (the default).")
    private Verify verify = Verify.EVERY;

    @Option(
            names = "--loops",
            paramLabel = "N",
            converter = Count.OfThreads.class,
            description = "Event loops that make the load, a thread each (default: ${DEFAULT-VALUE}).")
    private int loopCount = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result to a file, too.")
    private Optional<Path> json = Optional.empty();

    @Mixin
    private final TransportOptions transport = new TransportOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seconds.isPresent() && messages.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "--seconds and --messages both say how long to measure: leave one of them out");
        }
        var settings = settings();
        try (var signals = Signals.catchTermination();
                var loops = transport.start(
                        EventLoops.configure().name("millrace-load").threads(loopCount))) {
            var out = spec.commandLine().getOut();
            var result = new LoadDisplay(out, sizeBytes).show(EchoLoad.start(settings, loops), signals);
            if (!result.invalidBecause().isEmpty()) out.println("invalid  " + result.invalidBecause());
            if (json.isPresent()) LoadJson.write(json.get(), settings, result);
            return LoadDisplay.exitCode(result);
        }
    }

    private LoadSettings settings() throws IOException {
        var settings = LoadSettings.to(HostPort.resolved(server))
                .withConnections(connections)
                .withSize(sizeBytes)
                .withWarmUp(Duration.ofSeconds(warmUpSeconds))
                .withVerification(verify == Verify.EVERY);
        if (rate.isPresent()) settings = settings.withRate(rate.get());
        if (depth.isPresent()) settings = settings.withDepth(depth.get());
        if (seconds.isPresent()) settings = settings.withDuration(Duration.ofSeconds(seconds.get()));
        if (messages.isPresent()) settings = settings.withMessages(messages.get());
        return settings;
    }

    private static final class ToProtocol implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (text.equals("tcp")) return text;
            throw new TypeConversionException("there is no load for '" + text + "': take tcp");
        }
    }

    private static final class ToSize implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Count.parse(text, 1, LoadSettings.MAX_SIZE_BYTES);
        }
    }

    private static final class ToDepth implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Count.parse(text, 1, 100_000);
        }
    }

    private static final class ToRate implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Count.parse(text, 1, 100_000_000);
        }
    }

    private static final class ToWarmUp implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Count.parse(text, 0, 1_000_000);
        }
    }

    private static final class ToMessages implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Count.parse(text, 1, Integer.MAX_VALUE);
        }
    }
}
