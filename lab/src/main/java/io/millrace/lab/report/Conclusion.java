package io.millrace.lab.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/// What the figures say, in one sentence: who needs the least CPU, the figure that does not depend on which side was
/// the bottleneck, and who differs from the baseline beyond noise.
final class Conclusion {
    private static final String IN_EVERY_SHAPE = " in every shape";

    private Conclusion() {}

    static Optional<String> of(Results results, SortedMap<LoadShape, List<Ranking>> shapes) {
        if (shapes.isEmpty()) return ofIdle(results.idle());
        var least = leastOfShapes(shapes);
        if (least.isEmpty()) return Optional.empty();
        return Optional.of(listed(least, shapes) + comparison(results, shapes) + ".");
    }

    /// In how many shapes each peer has the lowest median, the most first.
    private static List<Map.Entry<String, Long>> leastOfShapes(SortedMap<LoadShape, List<Ranking>> shapes) {
        var counts = shapes.values().stream()
                .flatMap(standings -> least(standings, Conclusion::cpu).stream())
                .collect(Collectors.groupingBy(Ranking::peer, LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .toList();
    }

    private static double cpu(Ranking standing) {
        return standing.peer().equals(Tables.DIRECT) ? Double.NaN : standing.median(Measure.CPU_PER_MESSAGE);
    }

    private static <T> Optional<T> least(List<T> all, ToDoubleFunction<T> cost) {
        return all.stream()
                .filter(one -> Double.isFinite(cost.applyAsDouble(one)))
                .min(Comparator.comparingDouble(cost));
    }

    private static String listed(List<Map.Entry<String, Long>> least, SortedMap<LoadShape, List<Ranking>> shapes) {
        var first = least.getFirst();
        var words = new StringBuilder(first.getKey())
                .append(" needs the least CPU per ")
                .append(shapes.firstKey().unit());
        if (shapes.size() > 1) {
            words.append(
                    first.getValue() == shapes.size()
                            ? IN_EVERY_SHAPE
                            : " in " + first.getValue() + " of " + shapes.size() + " shapes");
        }
        for (var other : least.subList(1, least.size()))
            words.append(", ").append(other.getKey()).append(" in ").append(other.getValue());
        return words.toString();
    }

    private static String comparison(Results results, SortedMap<LoadShape, List<Ranking>> shapes) {
        var less = new ArrayList<String>();
        var more = new ArrayList<String>();
        int others = 0;
        for (var verdicts : verdicts(shapes).entrySet()) {
            if (verdicts.getValue().stream().allMatch(Measure.LESS_CPU::equals)) less.add(verdicts.getKey());
            else if (verdicts.getValue().stream().allMatch(Measure.MORE_CPU::equals)) more.add(verdicts.getKey());
            else others++;
        }
        var every = shapes.size() > 1 ? IN_EVERY_SHAPE : "";
        var clauses = new ArrayList<String>();
        if (!less.isEmpty()) clauses.add(names(less) + " less" + every);
        if (!more.isEmpty()) clauses.add(names(more) + " more" + every);
        if (others > 0) clauses.add(others + (others == 1 ? " peer" : " peers") + differing(others, shapes.size()));
        return clauses.isEmpty() ? "" : "; beside " + results.method().baseline() + ", " + String.join("; ", clauses);
    }

    /// On the CPU, of each peer that has a baseline.
    private static Map<String, List<String>> verdicts(SortedMap<LoadShape, List<Ranking>> shapes) {
        return shapes.values().stream()
                .flatMap(List::stream)
                .filter(standing -> !standing.isBaseline() && !standing.peer().equals(Tables.DIRECT))
                .filter(standing -> standing.cpu().ratio().isKnown())
                .collect(Collectors.groupingBy(
                        Ranking::peer,
                        LinkedHashMap::new,
                        Collectors.mapping(
                                standing -> standing.verdict(Measure.CPU_PER_MESSAGE), Collectors.toList())));
    }

    private static String differing(int peers, int shapes) {
        if (shapes > 1) return (peers == 1 ? " differs" : " differ") + " from shape to shape, or not beyond noise";
        return (peers == 1 ? " shows" : " show") + " no difference";
    }

    private static String names(List<String> peers) {
        int last = peers.size() - 1;
        if (last == 0) return peers.getFirst() + " needs";
        return String.join(", ", peers.subList(0, last)) + " and " + peers.get(last) + " need";
    }

    private static Optional<String> ofIdle(List<Idle> idle) {
        var leastHeap = least(idle, one -> one.heapBytesEach() < 0 ? Double.NaN : one.heapBytesEach());
        return leastHeap.map(one -> one.label() + " keeps the least heap for an idle connection: "
                + Figures.number(one.heapBytesEach()) + " bytes.");
    }
}
