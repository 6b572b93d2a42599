package io.millrace.lab.report;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The findings of an old public comparison, and the same figures measured here: facts to compare with, never
/// targets. A figure that was not measured is a dash.
///
/// @param year it was published in
/// @param note says that it is not ours, and what else is different there
/// @param rows each of three cells: what, what was published, and what was measured here
record Findings(int year, String note, List<List<String>> rows) {
    private static final String MILLRACE = "millrace";

    /// Empty when nothing was measured, and for workloads that have no findings; the figures of `executor` are
    /// [Published].
    static Optional<Findings> of(Results results, SortedMap<LoadShape, List<Ranking>> shapes) {
        if (shapes.isEmpty()) return Optional.empty();
        return switch (results.method().workload()) {
            case "close" -> Optional.of(CloseFindings.of(results, shapes));
            case "plaintext" -> Optional.of(PlaintextFindings.of(results, shapes));
            case "proxy" -> Optional.of(ProxyFindings.of(shapes));
            default -> Optional.empty();
        };
    }

    Table table() {
        return new Table(
                "Published in " + year + ", and measured here",
                List.of("what", "published in " + year, "measured here"),
                rows);
    }

    /// All peers in the first shape like that; none when there is no such shape.
    static List<Ranking> standings(SortedMap<LoadShape, List<Ranking>> shapes, Predicate<LoadShape> isWanted) {
        return shapes.entrySet().stream()
                .filter(entry -> isWanted.test(entry.getKey()))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElse(List.of());
    }

    /// Empty for a peer that did not take part.
    static Optional<Ranking> standing(List<Ranking> standings, String peer) {
        return standings.stream()
                .filter(standing -> standing.peer().equals(peer))
                .findFirst();
    }

    /// NaN for a peer that did not take part, or has no valid round.
    static double median(Measure measure, List<Ranking> standings, String peer) {
        return standing(standings, peer)
                .map(standing -> standing.median(measure))
                .orElse(Double.NaN);
    }

    /// The published peers, then every variant of Millrace that took part, not only the best.
    static List<String> peers(List<String> published, Results results) {
        var tried = Stream.concat(
                results.cells().stream().map(Cell::peer),
                results.problems().stream().map(Unmeasured::peer));
        var ours = tried.filter(peer -> peer.startsWith(MILLRACE)).distinct().toList();
        return Stream.concat(published.stream(), ours.isEmpty() ? Stream.of(MILLRACE) : ours.stream())
                .toList();
    }

    /// `voovan 6,013 · t-io –`.
    static String each(List<String> peers, Function<String, String> figure) {
        return peers.stream().map(peer -> peer + " " + figure.apply(peer)).collect(Collectors.joining(" · "));
    }
}
