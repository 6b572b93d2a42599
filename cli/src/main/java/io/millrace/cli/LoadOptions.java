package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Signals;
import io.millrace.lab.load.LoadMessages;
import io.millrace.lab.load.LoadSettings;
import io.millrace.loop.HostLookup;
import io.millrace.net.Stage;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options common to every load.
final class LoadOptions {
    static final int MOST_PER_SECOND = 100_000_000;

    @Option(
            names = "--connections",
            paramLabel = "N",
            converter = CountOption.OfConnections.class,
            description = "Connections (default: ${DEFAULT-VALUE}).")
    private int connections = 50;

    @Option(
            names = "--depth",
            paramLabel = "N",
            converter = ToDepth.class,
            description = "How many are in flight on each connection: by default 1; with --rate at most, by"
                    + " default 1000.")
    private Optional<Integer> depth = Optional.empty();

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = ToRate.class,
            description = "How many start per second, over all connections.")
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
            converter = CountOption.OfSeconds.class,
            description = "Seconds to measure (default: 10).")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--loops",
            paramLabel = "N",
            converter = CountOption.OfThreads.class,
            description = "Event loops that generate the load, a thread each (default: ${DEFAULT-VALUE}).")
    private int loopCount = 1;

    @Option(
            names = "--stages",
            paramLabel = "RATE:SECONDS",
            split = ",",
            converter = LoadStage.ToStage.class,
            description = "Rates that follow each other, each for its seconds, instead of --rate and --seconds; with a"
                    + " table of them all at the end.")
    private List<LoadStage> stages = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result to a file, too.")
    private Optional<Path> json = Optional.empty();

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "Write the figures of each second to a file, too, as comma-separated values.")
    private Optional<Path> csv = Optional.empty();

    @Mixin
    private final TransportOptions transport = new TransportOptions();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    int connections() {
        return connections;
    }

    boolean hasDepth() {
        return depth.isPresent();
    }

    /// As `--depth`.
    void depth(int inFlight) {
        depth = Optional.of(inFlight);
    }

    /// Puts the load on a server, shows its progress and its result.
    ///
    /// @param stage for each connection, if there is one
    /// @param count how many to measure, instead of a time
    /// @param words for what is sent
    /// @return the exit code
    int run(
            SocketAddress server,
            LoadMessages messages,
            Optional<Stage> stage,
            Optional<Integer> count,
            LoadDisplay.LoadWords words)
            throws IOException, InterruptedException {
        checkLength(count, words);
        var plain = settings(server, count).with(messages);
        var all = inStages(stage.map(plain::through).orElse(plain));
        try (var signals = Signals.catchTermination();
                var loops = transport.start(
                        EventLoops.configure().name("millrace-load").threads(loopCount))) {
            ServeCommand.endWith(loops, signals);
            var runs = new LoadRuns(spec.commandLine().getOut(), words, csv);
            int code = runs.run(all, loops, signals);
            if (json.isPresent()) runs.write(json.get());
            return code;
        }
    }

    private void checkLength(Optional<Integer> count, LoadDisplay.LoadWords words) {
        if (seconds.isPresent() && count.isPresent()) {
            throw wrong("--seconds and --" + words.sent() + " both set how long to measure: leave one of them out");
        }
        if (!stages.isEmpty() && (seconds.isPresent() || rate.isPresent() || count.isPresent())) {
            throw wrong("--stages sets the rates and their seconds: leave --rate, --seconds and --" + words.sent()
                    + " out");
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /// Only the first stage has a warm-up: the server is warm after it.
    private List<LoadSettings> inStages(LoadSettings settings) {
        if (stages.isEmpty()) return List.of(settings);
        var all = new ArrayList<LoadSettings>();
        for (var stage : stages) {
            var next = settings.rate(stage.perSecond()).duration(stage.time());
            if (depth.isPresent()) next = next.depth(depth.get());
            all.add(all.isEmpty() ? next : next.warmUp(Duration.ZERO));
        }
        return all;
    }

    private LoadSettings settings(SocketAddress server, Optional<Integer> count) throws IOException {
        var settings = LoadSettings.to(HostLookup.resolved(server))
                .connections(connections)
                .warmUp(Duration.ofSeconds(warmUpSeconds));
        if (rate.isPresent()) settings = settings.rate(rate.get());
        if (depth.isPresent()) settings = settings.depth(depth.get());
        if (seconds.isPresent()) settings = settings.duration(Duration.ofSeconds(seconds.get()));
        if (count.isPresent()) settings = settings.messages(count.get());
        return settings;
    }

    /// How many messages or requests to measure.
    static final class ToCount extends CountOption {
        ToCount() {
            super(1, Integer.MAX_VALUE);
        }
    }

    static final class ToDepth extends CountOption {
        ToDepth() {
            super(1, 100_000);
        }
    }

    private static final class ToRate extends CountOption {
        ToRate() {
            super(1, MOST_PER_SECOND);
        }
    }

    private static final class ToWarmUp extends CountOption {
        ToWarmUp() {
            super(0, 1_000_000);
        }
    }
}
