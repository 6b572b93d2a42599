package io.millrace.lab.report;

import io.millrace.lab.load.Exchange;
import io.millrace.lab.stats.Medians;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// The tables that all formats of a result share.
final class Tables {
    /// Marks the rows that are not ours.
    static final String PUBLISHED = "published";

    private static final String NOT_PUBLISHED =
            "\"NIO Framework\" of the 2008 comparison: no published artefact was found";

    /// The backend without a proxy.
    static final String DIRECT = "direct";

    private static final int BUSY_PERCENT = 90;

    private static final List<Measure> OF_LATENCY = List.copyOf(EnumSet.range(Measure.PER_CPU_SECOND, Measure.MAX));
    private static final List<Measure> OF_MEMORY = List.copyOf(EnumSet.range(Measure.HEAP_USED, Measure.RESIDENT));

    private Tables() {}

    /// Rate and CPU per message, with intervals, ratios and verdicts.
    static Table comparison(LoadShape shape, List<Ranking> standings) {
        var head = List.of(
                "peer",
                Measure.RATE.words(shape.unit()),
                "ratio",
                "verdict",
                Measure.CPU_PER_MESSAGE.words(shape.unit()),
                "ratio of CPU",
                "verdict on CPU",
                "rounds",
                "failed");
        var rows = standings.stream()
                .map(standing -> List.of(
                        standing.peer(),
                        Figures.estimate(standing.rate().value()),
                        Figures.ratio(standing.rate().ratio()),
                        standing.verdict(Measure.RATE),
                        Figures.estimate(standing.cpu().value()),
                        Figures.ratio(standing.cpu().ratio()),
                        standing.verdict(Measure.CPU_PER_MESSAGE),
                        standing.rounds().size() + " of "
                                + standing.cell().rounds().size(),
                        Figures.number((double) standing.failures())))
                .toList();
        return new Table(shape.words(), head, rows);
    }

    /// Medians of everything else: two tables, each of which fits on a page.
    static List<Table> details(LoadShape shape, List<Ranking> standings) {
        return List.of(
                medians(shape, ": latency and switches, medians", OF_LATENCY, standings),
                medians(shape, ": memory, medians", OF_MEMORY, standings));
    }

    private static Table medians(LoadShape shape, String of, List<Measure> measures, List<Ranking> standings) {
        var head = Stream.concat(Stream.of("peer"), measures.stream().map(measure -> measure.words(shape.unit())))
                .toList();
        var rows =
                standings.stream().map(standing -> medians(standing, measures)).toList();
        return new Table(shape.words() + of, head, rows);
    }

    private static List<String> medians(Ranking standing, List<Measure> measures) {
        var row = new ArrayList<String>();
        row.add(standing.peer());
        measures.forEach(measure -> row.add(measure.format(standing.median(measure))));
        return row;
    }

    /// One row for each peer, one column for each size: the figures of the curve.
    static Table overSize(String load, SortedMap<LoadShape, List<Ranking>> shapes) {
        var head = new ArrayList<String>();
        head.add("peer");
        shapes.keySet().forEach(shape -> head.add(Figures.bytes(shape.sizeBytes())));
        var rows = new ArrayList<List<String>>();
        for (var peer : Charts.peers(shapes)) {
            var row = new ArrayList<String>();
            row.add(peer);
            shapes.values().forEach(standings -> row.add(rateAndVolume(peer, standings)));
            rows.add(row);
        }
        var unit = shapes.firstKey().unit();
        return new Table(Measure.RATE.words(unit) + " (MB/s one way), " + load, head, rows);
    }

    private static String rateAndVolume(String peer, List<Ranking> standings) {
        return standings.stream()
                .filter(standing ->
                        standing.peer().equals(peer) && !standing.rounds().isEmpty())
                .findFirst()
                .map(standing -> Figures.number(standing.median(Measure.RATE)) + " ("
                        + Figures.number(standing.median(Measure.MEGABYTES)) + ")")
                .orElse(Figures.NOTHING);
    }

    /// How much the seconds of a peer differ.
    static Table overTime(LoadShape shape, List<Ranking> standings) {
        var head = List.of(
                "peer",
                "slowest second, " + Measure.RATE.words(shape.unit()),
                "median",
                "fastest",
                "least server CPU %",
                "median CPU %",
                "most");
        var rows = spreads(standings, Moment::messagesPerSecond, Moment::serverCpuPercent);
        return new Table(shape.words() + ": the seconds of all rounds", head, rows);
    }

    /// How much the network and the switches of a peer differ from second to second.
    static Table flowOverTime(LoadShape shape, List<Ranking> standings) {
        var head = List.of(
                "peer", "slowest second, MB/s", "median", "fastest", "least switches/s", "median switches/s", "most");
        var rows = spreads(standings, Moment::megabytesPerSecond, Moment::serverSwitchesPerSecond);
        return new Table(shape.words() + ": network and switches in the seconds of all rounds", head, rows);
    }

    private static List<List<String>> spreads(
            List<Ranking> standings, ToDoubleFunction<Moment> one, ToDoubleFunction<Moment> other) {
        return standings.stream()
                .map(standing -> Stream.of(Stream.of(standing.peer()), spread(standing, one), spread(standing, other))
                        .flatMap(cells -> cells)
                        .toList())
                .toList();
    }

    private static Stream<String> spread(Ranking standing, ToDoubleFunction<Moment> value) {
        var values = standing.cell().rounds().stream()
                .flatMap(round -> round.overTime().stream())
                .mapToDouble(value)
                .sorted()
                .toArray();
        if (values.length == 0) {
            return Stream.of(Figures.NOTHING, Figures.NOTHING, Figures.NOTHING);
        }
        return Stream.of(values[0], Medians.median(values), values[values.length - 1])
                .map(Figures::number);
    }

    /// The published rows of each size, then ours of the same size.
    static Table beside(Published published, String load, SortedMap<LoadShape, List<Ranking>> shapes) {
        var head = List.of("size", "system", "whose", "messages/s", "MB/s", "CPU %", "average ms", "90 % ms");
        var rows = new ArrayList<List<String>>();
        shapes.forEach((shape, standings) -> {
            published.ofSize(shape.sizeBytes()).forEach(row -> rows.add(theirs(shape, published, row)));
            standings.forEach(standing -> rows.add(ours(shape, standing)));
        });
        return new Table("Published in " + published.year() + ", and measured here: " + load, head, rows);
    }

    private static List<String> theirs(LoadShape shape, Published published, Published.Row row) {
        return List.of(
                Figures.bytes(shape.sizeBytes()),
                published.label(row.system()),
                PUBLISHED,
                Figures.number(row.messagesPerSecond()),
                Figures.number(row.megabytesPerSecond()),
                Figures.number(row.cpuPercent()),
                row.averageMillis(),
                row.p90Millis());
    }

    private static List<String> ours(LoadShape shape, Ranking standing) {
        return List.of(
                Figures.bytes(shape.sizeBytes()),
                standing.peer(),
                "measured here",
                Figures.number(standing.median(Measure.RATE)),
                Figures.number(standing.median(Measure.MEGABYTES)),
                Figures.number(standing.median(Measure.CPU_PERCENT)),
                Figures.number(standing.median(Measure.AVERAGE) / 1_000),
                Figures.number(standing.median(Measure.P90) / 1_000));
    }

    static Table idle(List<Idle> idle) {
        var rows = idle.stream()
                .map(one -> List.of(
                        one.peer(),
                        Figures.number(one.connections()),
                        Figures.number(one.messages()),
                        one.heapBytesEach() < 0 ? Figures.NOTHING : Figures.number(one.heapBytesEach()),
                        Figures.number(one.rssBytesEach())))
                .toList();
        return new Table(
                "Idle connections",
                List.of("peer", "connections", "answers each", "heap bytes each", "RSS bytes each"),
                rows);
    }

    static Table firstUse(List<FirstUse> all) {
        var rows = all.stream()
                .map(one -> List.of(
                        one.peer(),
                        Figures.number((double) one.requests()),
                        Figures.bytes((double) one.heapUsedBytes()),
                        Figures.bytes((double) one.heapCommittedBytes()),
                        one.heapUsedBytes() < 0 ? Figures.NOTHING : Figures.number((double) one.collections()),
                        Figures.bytes((double) one.rssBytes()),
                        Figures.bytes((double) one.heapLiveBytes())))
                .toList();
        var head = List.of("peer", "requests", "heap used", "heap committed", "GCs", "RSS", "heap after a collection");
        return new Table("Memory after the first requests", head, rows);
    }

    static Table machine(Results results) {
        var machine = results.machine();
        var method = results.method();
        boolean hasBackend = !method.backend().isEmpty();
        var rows = new ArrayList<>(List.of(
                List.of("when", machine.when()),
                List.of("CPU", machine.cpu() + ", " + machine.cores() + " cores"),
                List.of("frequency governor", machine.governor()),
                List.of("mitigations", machine.mitigations()),
                List.of("kernel", machine.kernel()),
                List.of("JDK", machine.jdk()),
                List.of("JVM flags of all servers", orNone(method.jvmFlags())),
                List.of("load average before", Figures.number(machine.loadBefore())),
                List.of(hasBackend ? "proxies on cores" : "servers on cores", orNone(method.serverCores())),
                List.of("load on cores", orNone(method.loadCores())),
                List.of("network", method.network()),
                List.of(
                        "rounds",
                        method.rounds() + " of " + Figures.number(method.secondsPerRound())
                                + " s, interleaved over the peers"),
                List.of("baseline", method.baseline()),
                List.of("command", method.command())));
        if (hasBackend) rows.add(List.of("behind the proxies", method.backend()));
        boolean isEcho = results.cells().stream().allMatch(cell -> cell.shape().exchange() == Exchange.ECHO);
        if (isEcho) rows.add(List.of("left out", NOT_PUBLISHED));
        return new Table("Machine and method", List.of("what", "value"), rows);
    }

    private static String orNone(String value) {
        return value.isEmpty() ? "none" : value;
    }

    static Table problems(List<Unmeasured> problems) {
        var rows = problems.stream()
                .map(problem -> List.of(problem.peer(), problem.shape().words(), problem.what()))
                .toList();
        return new Table("Problems", List.of("peer", "shape", "what"), rows);
    }

    /// What the machine warned of, and which rounds did not count.
    static List<String> warnings(Results results, Iterable<List<Ranking>> shapes) {
        var warnings = new ArrayList<>(results.machine().warnings());
        loadBound(results).ifPresent(warnings::add);
        backendBound(results).ifPresent(warnings::add);
        for (var standings : shapes) {
            for (var standing : standings) {
                standing.invalid()
                        .forEach(reason -> warnings.add(
                                standing.peer() + ", " + standing.cell().shape().words() + ": invalid " + reason));
            }
        }
        return warnings;
    }

    /// A proxy waits for two who may have less CPU than it has.
    private static Optional<String> backendBound(Results results) {
        if (results.method().backend().isEmpty()) return Optional.empty();
        var rounds = results.cells().stream()
                .filter(cell -> !cell.peer().equals(DIRECT))
                .flatMap(cell -> cell.rounds().stream())
                .toList();
        long idle = rounds.stream()
                .filter(round -> round.serverCpuPercent() < BUSY_PERCENT)
                .count();
        if (idle == 0) return Optional.empty();
        return Optional.of("in " + idle + " of " + rounds.size() + " rounds the proxy used less than " + BUSY_PERCENT
                + " % of a core: rate and latency there are what the backend and the load could do, and only the CPU"
                + " per request tells proxies apart");
    }

    private static Optional<String> loadBound(Results results) {
        var rounds =
                results.cells().stream().flatMap(cell -> cell.rounds().stream()).toList();
        long bound = rounds.stream().filter(Round::isLoadBound).count();
        if (bound == 0) {
            return Optional.empty();
        }
        return Optional.of("in " + bound + " of " + rounds.size()
                + " rounds the load generator was the bottleneck: rate and latency there are what the load could"
                + " do, and only the CPU per message tells servers apart");
    }
}
