package io.millrace.cli;

import io.millrace.lab.Catalogue;
import io.millrace.lab.KeyKind;
import io.millrace.lab.Plan;
import io.millrace.lab.Workload;
import io.millrace.lab.load.Exchange;
import io.millrace.lab.load.LoadSettings;
import io.millrace.lab.report.HtmlPage;
import io.millrace.lab.report.Markdown;
import io.millrace.lab.report.Results;
import io.millrace.lab.report.ResultsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// `millrace lab` with a workload, as `millrace lab close`: measures, and writes a report.
@Command
final class LabRun extends Subcommand {
    private static final DateTimeFormatter TO_THE_SECOND =
            DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss", Locale.ROOT);

    private static final int FULL_ROUNDS = 5;
    private static final int QUICK_ROUNDS = 3;
    private static final double FULL_SECONDS = 2;
    private static final double QUICK_SECONDS = 1.2;

    private static final String SIZES = "--sizes";
    private static final String DEPTHS = "--depths";
    private static final String KEY = "--key";
    private static final String TLS = "--tls";
    private static final String SLOW = "--slow";
    private static final String DEFLATE = "--deflate";

    private enum Link {
        LOOPBACK,
        SHAPED
    }

    private static final class Extent {
        @Option(names = "--quick", description = "A few peers and shapes, at most three minutes (the default).")
        @SuppressWarnings("UnusedVariable") // the default without --full
        private boolean isQuick;

        @Option(names = "--full", description = "All peers and shapes; takes an hour.")
        private boolean isFull;
    }

    @ArgGroup
    private Extent extent = new Extent();

    @Option(names = "--peers", split = ",", paramLabel = "NAME", description = "Peers: `millrace lab list` names them.")
    private List<String> peers = List.of();

    @Option(
            names = "--extra",
            paramLabel = "NAME=COMMAND",
            description =
                    "Another server: a shell command with {port} and optionally {host}; for a proxy also {backend}, for a server over TLS the folder {identity}.")
    private Map<String, String> extras = new LinkedHashMap<>();

    @Option(
            names = SIZES,
            split = ",",
            paramLabel = "BYTES",
            converter = ToSize.class,
            description = "Bytes of a message or a page, as in 64 or 16k.")
    private List<Integer> sizesBytes = List.of();

    @Option(
            names = DEPTHS,
            split = ",",
            paramLabel = "N",
            converter = CountOption.OfConnections.class,
            description = "Requests in flight on each connection.")
    private List<Integer> depths = List.of();

    @Option(
            names = "--connections",
            split = ",",
            paramLabel = "N",
            converter = CountOption.OfConnections.class,
            description = "Connections.")
    private List<Integer> connections = List.of();

    @Option(
            names = KEY,
            paramLabel = "KIND",
            converter = ToKeyKind.class,
            description = "Keys of the servers: ecdsa (P-256, the default) or rsa (2048 bits).")
    private Optional<KeyKind> key = Optional.empty();

    @Option(names = TLS, description = "Over TLS; otherwise in clear text.")
    private boolean isOverTls;

    @Option(names = SLOW, description = "Also to connections of which one in a hundred reads hardly anything.")
    private boolean withSlow;

    @Option(names = DEFLATE, description = "Also compressed by the servers (permessage-deflate).")
    private boolean withDeflate;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            converter = CountOption.OfThreads.class,
            description = "Rounds of each peer in each shape.")
    private Optional<Integer> rounds = Optional.empty();

    @Option(names = "--seconds", paramLabel = "S", converter = ToSeconds.class, description = "Seconds of a round.")
    private Optional<Double> seconds = Optional.empty();

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            converter = ToSeconds.class,
            description =
                    "At most this many seconds of load before a peer's first round; fewer when its rate is steady.")
    private Optional<Double> warmUpSeconds = Optional.empty();

    @Option(
            names = "--pool",
            paramLabel = "N",
            converter = CountOption.OfThreads.class,
            description = "Threads of the peers whose handler runs in a pool; by default as many as there are cores.")
    private int poolThreads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--baseline",
            split = ",",
            paramLabel = "NAME",
            description = "The peers that ratios refer to, if they take part: by default c-epoll, for HTTP"
                    + " netty-epoll, for proxies haproxy-tcp and nginx-proxy, otherwise the first.")
    private List<String> baselines = List.of();

    @Option(
            names = "--network",
            paramLabel = "KIND",
            converter = ToNetwork.class,
            description = "loopback (the default), or 1gbit: two network namespaces with such a link; needs root.")
    private Link network = Link.LOOPBACK;

    @Option(
            names = "--output",
            paramLabel = "FOLDER",
            description = "Where to write the results (default: lab/results).")
    private Optional<Path> output = Optional.empty();

    private final Workload workload;

    private LabRun(Workload workload) {
        this.workload = workload;
    }

    /// Omits the options that the workload does not use.
    static CommandLine commandLine(Workload workload) {
        var run = new CommandLine(new LabRun(workload));
        var spec = run.getCommandSpec();
        spec.usageMessage().description("Measure " + workload.words() + ".");
        if (!workload.hasSizes()) spec.remove(spec.findOption(SIZES));
        if (!workload.hasDepths()) spec.remove(spec.findOption(DEPTHS));
        if (!workload.hasKeys()) spec.remove(spec.findOption(KEY));
        if (!workload.mayBeOverTls()) spec.remove(spec.findOption(TLS));
        if (workload != Workload.BROADCAST) {
            spec.remove(spec.findOption(SLOW));
            spec.remove(spec.findOption(DEFLATE));
        }
        return run;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var results = run();
        print(Markdown.of(results));
        write(results);
        return results.cells().isEmpty() && results.idle().isEmpty() ? 1 : 0;
    }

    private Results run() throws IOException, InterruptedException {
        try {
            var catalogue = Catalogue.of(LabCommand.home(), workload, poolThreads, extras);
            return io.millrace.lab.Lab.run(plan(catalogue), catalogue, this::say);
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private Plan plan(Catalogue catalogue) {
        boolean isFull = extent.isFull;
        var names = new ArrayList<>(peers.isEmpty() ? catalogue.peersOf(workload, isFull) : peers);
        names.addAll(extras.keySet());
        return new Plan(
                workload,
                "millrace "
                        + String.join(" ", spec().commandLine().getParseResult().originalArgs()),
                names,
                workload.shapes(isFull).stream()
                        .map(some -> some.with(sizesBytes, depths, connections).and(furtherExchanges()))
                        .toList(),
                rounds.orElse(isFull ? FULL_ROUNDS : QUICK_ROUNDS),
                seconds.orElse(isFull ? FULL_SECONDS : QUICK_SECONDS),
                warmUpSeconds.orElse(workload.warmUpSeconds(isFull)),
                poolThreads,
                baselines.isEmpty() ? catalogue.baselinesOf(workload, names) : baselines,
                key(),
                network == Link.SHAPED);
    }

    private List<Exchange> furtherExchanges() {
        var more = new ArrayList<Exchange>();
        if (withSlow) more.add(Exchange.SLOW_BROADCAST);
        if (withDeflate) more.add(Exchange.PACKED_BROADCAST);
        return more;
    }

    private Optional<KeyKind> key() {
        boolean isSecure = workload.hasKeys() && (isOverTls || !workload.mayBeOverTls());
        if (isSecure) return Optional.of(key.orElse(KeyKind.ECDSA));
        if (key.isPresent()) throw wrong("--key is for servers over TLS: add --tls, or leave it out");
        return Optional.empty();
    }

    private void write(Results results) throws IOException {
        var folder = output.orElse(LabCommand.home().resolve("lab/results"));
        var name = OffsetDateTime.parse(results.machine().when()).format(TO_THE_SECOND) + "-" + workload.command();
        var json = folder.resolve(name + ".json");
        var html = folder.resolve(name + ".html");
        ResultsFile.write(results, json);
        HtmlPage.write(results, html);
        say("wrote " + json + " and " + html);
    }

    private void say(String line) {
        err().println("lab: " + line);
        err().flush();
    }

    private static final class ToSize implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            boolean isKibi = text.toLowerCase(Locale.ROOT).endsWith("k");
            var digits = isKibi ? text.substring(0, text.length() - 1) : text;
            int unit = isKibi ? 1024 : 1;
            return unit * CountOption.parse(digits, 1, LoadSettings.MAX_SIZE_BYTES / unit);
        }
    }

    private static final class ToSeconds implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            try {
                double seconds = Double.parseDouble(text);
                if (seconds >= 0.5 && seconds <= 3600) return seconds;
            } catch (NumberFormatException _) {
                // Handled like a number out of range.
            }
            throw new TypeConversionException("'" + text + "' is not a number from 0.5 to 3600");
        }
    }

    private static final class ToKeyKind implements ITypeConverter<KeyKind> {
        @Override
        public KeyKind convert(String text) {
            return switch (text) {
                case "ecdsa" -> KeyKind.ECDSA;
                case "rsa" -> KeyKind.RSA;
                default -> throw new TypeConversionException("there is no key '" + text + "': use ecdsa or rsa");
            };
        }
    }

    private static final class ToNetwork implements ITypeConverter<Link> {
        @Override
        public Link convert(String text) {
            return switch (text) {
                case "loopback" -> Link.LOOPBACK;
                case "1gbit" -> Link.SHAPED;
                default ->
                    throw new TypeConversionException("there is no network '" + text + "': use loopback or 1gbit");
            };
        }
    }
}
