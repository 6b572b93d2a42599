package io.millrace.lab.report;

import io.millrace.lab.stats.Contrast;
import io.millrace.lab.stats.Estimate;
import io.millrace.lab.stats.Medians;
import io.millrace.lab.stats.Ratios;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// How a peer did in one shape, beside the baseline of the same shape.
///
/// @param rounds the valid ones
/// @param rate messages per second against the baseline's
/// @param cpu CPU per message against the baseline's
record Ranking(Cell cell, boolean isBaseline, List<Round> rounds, Contrast rate, Contrast cpu) {
    /// All shapes in their order, each with its peers in the order of the results.
    static TreeMap<LoadShape, List<Ranking>> all(Results results) {
        var baselines = results.method().baselines();
        var standings = new TreeMap<LoadShape, List<Ranking>>();
        for (var cell : results.cells()) {
            var reference = reference(cell.shape(), baselines, results.cells());
            standings.computeIfAbsent(cell.shape(), shape -> new ArrayList<>()).add(of(cell, reference));
        }
        return standings;
    }

    private static Optional<Cell> reference(LoadShape shape, List<String> baselines, List<Cell> cells) {
        return baselines.stream()
                .flatMap(baseline -> cells.stream().filter(cell -> cell.peer().equals(baseline)))
                .filter(cell -> cell.shape().equals(shape))
                .findFirst();
    }

    private static Ranking of(Cell cell, Optional<Cell> reference) {
        return new Ranking(
                cell,
                reference.filter(other -> other.peer().equals(cell.peer())).isPresent(),
                cell.validRounds(),
                contrast(Measure.RATE, cell, reference),
                contrast(Measure.CPU_PER_MESSAGE, cell, reference));
    }

    /// The medians are of all valid rounds, the ratio of those that are valid on both sides.
    private static Contrast contrast(Measure measure, Cell cell, Optional<Cell> reference) {
        var value = Estimate.of(measure.of(cell.validRounds()));
        if (reference.isEmpty()) {
            return new Contrast(value, Estimate.NONE, Estimate.NONE);
        }
        var other = reference.get();
        var pairs = pairs(cell, other);
        var ratio = Ratios.paired(
                measure.of(pairs.stream().map(Pair::own).toList()),
                measure.of(pairs.stream().map(Pair::other).toList()));
        return new Contrast(value, Estimate.of(measure.of(other.validRounds())), ratio);
    }

    private record Pair(Round own, Round other) {
        boolean counts() {
            return own.counts() && other.counts();
        }
    }

    private static List<Pair> pairs(Cell cell, Cell other) {
        return IntStream.range(0, Math.min(cell.rounds().size(), other.rounds().size()))
                .mapToObj(i -> new Pair(cell.rounds().get(i), other.rounds().get(i)))
                .filter(Pair::counts)
                .toList();
    }

    String peer() {
        return cell.peer();
    }

    /// NaN when no valid round knows it.
    double median(Measure measure) {
        var values = rounds.stream()
                .mapToDouble(measure::of)
                .filter(Double::isFinite)
                .toArray();
        return values.length == 0 ? Double.NaN : Medians.median(values);
    }

    /// `baseline`, `no baseline`, `no valid round`, or the verdict.
    String verdict(Measure measure) {
        if (rounds.isEmpty()) {
            return "no valid round";
        }
        if (isBaseline) {
            return "baseline";
        }
        var contrast = measure == Measure.RATE ? rate : cpu;
        if (!contrast.ratio().isKnown()) {
            return "no baseline";
        }
        return measure.words(contrast.verdict(measure.better()));
    }

    /// Of all rounds, also those that do not count.
    long failures() {
        return cell.rounds().stream().mapToLong(Round::failures).sum();
    }

    /// Each reason why rounds did not count, once, with how many.
    List<String> invalid() {
        var reasons = new TreeMap<String, Integer>();
        cell.rounds().stream()
                .filter(round -> !round.counts())
                .forEach(round -> reasons.merge(round.invalidBecause(), 1, Integer::sum));
        return reasons.entrySet().stream()
                .map(reason -> reason.getValue() + " of " + cell.rounds().size() + " rounds: " + reason.getKey())
                .toList();
    }
}
