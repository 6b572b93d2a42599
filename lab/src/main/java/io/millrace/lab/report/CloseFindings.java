package io.millrace.lab.report;

import java.util.List;
import java.util.SortedMap;
import java.util.function.ToLongFunction;

/// The comparison of t-io and Voovan of 2017: rates with 50 connections at once, what failed with 100, and the memory
/// after 10,000 requests.
final class CloseFindings {
    private static final String NOTE = "Published in 2017 for t-io and Voovan; not our measurements. The published "
            + "rates are averages of 15 consecutive runs of 2,000 requests, the first in a cold JVM, with default "
            + "flags; the servers sent a fixed response and parsed nothing. Here requests are parsed, rates are "
            + "medians after a warm-up, and JVMs have the flags named under \"Machine and method\".";

    private static final long FIRST_REQUESTS = 10_000;
    private static final int USUAL = 50;
    private static final int MANY = 100;

    private final Results results;
    private final SortedMap<LoadShape, List<Ranking>> shapes;
    private final List<String> peers;

    private CloseFindings(Results results, SortedMap<LoadShape, List<Ranking>> shapes) {
        this.results = results;
        this.shapes = shapes;
        peers = Findings.peers(List.of("voovan", "t-io"), results);
    }

    static Findings of(Results results, SortedMap<LoadShape, List<Ranking>> shapes) {
        return new Findings(2017, NOTE, new CloseFindings(results, shapes).rows());
    }

    private List<List<String>> rows() {
        return List.of(
                List.of(
                        "50 at once: requests/s",
                        "Voovan 6,013 · t-io 4,925 (5,270 without the run that hit a full collection)",
                        rate()),
                List.of("50 at once: failed requests", Figures.NOTHING, failed(USUAL)),
                List.of("100 at once: failed requests", "t-io failed", failed(MANY)),
                List.of(
                        "heap used after 10,000 requests",
                        "Voovan 12.7 MB · t-io 42.3 MB",
                        memory(FirstUse::heapUsedBytes)),
                List.of(
                        "heap committed after 10,000 requests",
                        "Voovan 129 MB · t-io 163 MB",
                        memory(FirstUse::heapCommittedBytes)));
    }

    private String rate() {
        return Findings.each(peers, peer -> Figures.number(Findings.median(Measure.RATE, with(USUAL), peer)));
    }

    private String failed(int connections) {
        return Findings.each(peers, peer -> failures(peer, connections));
    }

    /// A peer that gave up may have had rounds without a failure before.
    private String failures(String peer, int connections) {
        boolean gaveUp = results.problems().stream()
                .anyMatch(problem ->
                        problem.peer().equals(peer) && problem.shape().connections() == connections);
        if (gaveUp) return "see problems";
        return Findings.standing(with(connections), peer)
                .map(standing -> Figures.number((double) standing.failures()))
                .orElse(Figures.NOTHING);
    }

    private List<Ranking> with(int connections) {
        return Findings.standings(shapes, shape -> shape.connections() == connections);
    }

    private String memory(ToLongFunction<FirstUse> bytes) {
        return Findings.each(
                peers,
                peer -> results.firstUse().stream()
                        .filter(use -> use.peer().equals(peer) && use.requests() == FIRST_REQUESTS)
                        .findFirst()
                        .map(use -> Figures.bytes((double) bytes.applyAsLong(use)))
                        .orElse(Figures.NOTHING));
    }
}
