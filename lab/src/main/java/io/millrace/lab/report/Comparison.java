package io.millrace.lab.report;

import io.millrace.lab.stats.Contrast;
import io.millrace.lab.stats.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What changed between two results beyond noise; its Markdown is [Markdown#of(Comparison)].
///
/// @param changes of every peer and shape with a valid round in both results, in the order of the second
/// @param notes what makes the comparison doubtful, and what is in one result only
public record Comparison(List<Change> changes, List<String> notes) {
    /// One measure of one peer in one shape.
    ///
    /// @param measure in words, with its unit
    /// @param verdictWords the verdict as it reads for that measure
    /// @param contrast the second result against the first
    /// @param verdict the second result is faster (or needs less CPU), slower, or shows no difference
    public record Change(
            String peer, LoadShape shape, String measure, Contrast contrast, Verdict verdict, String verdictWords) {}

    private record Key(String peer, LoadShape shape) {
        static Key of(Cell cell) {
            return new Key(cell.peer(), cell.shape());
        }

        String words() {
            return peer + ", " + shape.words();
        }
    }

    public Comparison {
        changes = List.copyOf(changes);
        notes = List.copyOf(notes);
    }

    public static Comparison of(Results before, Results after) {
        var notes = new ArrayList<String>();
        differences(before, after).forEach((what, difference) -> notes.add(what + " differs: " + difference));
        var changes = new ArrayList<Change>();
        var earlier = byKey(before);
        var later = byKey(after);
        later.forEach((key, rounds) -> {
            var others = earlier.getOrDefault(key, List.of());
            if (!rounds.isEmpty() && !others.isEmpty()) {
                changes.add(change(key, Measure.RATE, others, rounds));
                changes.add(change(key, Measure.CPU_PER_MESSAGE, others, rounds));
            }
        });
        onlyIn("first", earlier, later).forEach(notes::add);
        onlyIn("second", later, earlier).forEach(notes::add);
        before.problems().forEach(problem -> notes.add("problem in the first: " + words(problem)));
        after.problems().forEach(problem -> notes.add("problem in the second: " + words(problem)));
        notes.add("The rounds of one run do not show how much runs differ: repeat a run before you believe a change "
                + "of a few percent.");
        return new Comparison(changes, notes);
    }

    /// Those that show a difference.
    public List<Change> shown() {
        return changes.stream()
                .filter(change -> change.verdict() != Verdict.NO_DIFFERENCE_SHOWN)
                .toList();
    }

    /// Whether something got worse beyond noise.
    public boolean hasWorse() {
        return changes.stream().anyMatch(change -> change.verdict() == Verdict.SLOWER);
    }

    String summary() {
        var worse = changes.stream()
                .filter(change -> change.verdict() == Verdict.SLOWER)
                .count();
        return shown().size() + " of " + changes.size() + " figures changed beyond noise"
                + (worse == 0 ? "." : ", " + worse + " of them for the worse.");
    }

    /// What changed first, the rest after it.
    Table table() {
        var rows = new ArrayList<List<String>>();
        shown().forEach(change -> rows.add(row(change)));
        changes.stream()
                .filter(change -> change.verdict() == Verdict.NO_DIFFERENCE_SHOWN)
                .forEach(change -> rows.add(row(change)));
        return new Table(
                "What changed", List.of("peer", "shape", "measure", "before", "after", "ratio", "verdict"), rows);
    }

    private static List<String> row(Change change) {
        var contrast = change.contrast();
        return List.of(
                change.peer(),
                change.shape().words(),
                change.measure(),
                Figures.estimate(contrast.baseline()),
                Figures.estimate(contrast.value()),
                Figures.ratio(contrast.ratio()),
                change.verdictWords());
    }

    private static Map<Key, List<Round>> byKey(Results results) {
        var rounds = new LinkedHashMap<Key, List<Round>>();
        for (var cell : results.cells()) {
            rounds.put(Key.of(cell), cell.validRounds());
        }
        return rounds;
    }

    private static Change change(Key key, Measure measure, List<Round> before, List<Round> after) {
        var contrast = Contrast.unpaired(measure.of(after), measure.of(before));
        var verdict = contrast.verdict(measure.better());
        return new Change(
                key.peer(), key.shape(), measure.words(key.shape().unit()), contrast, verdict, measure.words(verdict));
    }

    private static List<String> onlyIn(String which, Map<Key, List<Round>> rounds, Map<Key, List<Round>> others) {
        return rounds.keySet().stream()
                .filter(key -> isMeasured(key, rounds) && !isMeasured(key, others))
                .map(key -> "only in the " + which + ": " + key.words())
                .toList();
    }

    private static boolean isMeasured(Key key, Map<Key, List<Round>> rounds) {
        return !rounds.getOrDefault(key, List.of()).isEmpty();
    }

    private static String words(Unmeasured problem) {
        return problem.peer() + ", " + problem.shape().words() + ": " + problem.what();
    }

    private static Map<String, String> differences(Results before, Results after) {
        var differences = new LinkedHashMap<String, String>();
        var earlier = conditions(before);
        conditions(after).forEach((what, value) -> {
            var other = earlier.getOrDefault(what, "");
            if (!value.equals(other)) {
                differences.put(what, "\"" + other + "\" before, \"" + value + "\" after");
            }
        });
        return differences;
    }

    /// What must be the same for a comparison to be about the servers alone.
    private static Map<String, String> conditions(Results results) {
        var conditions = new LinkedHashMap<String, String>();
        var machine = results.machine();
        var method = results.method();
        conditions.put("CPU", machine.cpu());
        conditions.put("number of cores", String.valueOf(machine.cores()));
        conditions.put("kernel", machine.kernel());
        conditions.put("JDK", machine.jdk());
        conditions.put("frequency governor", machine.governor());
        conditions.put("mitigations", machine.mitigations());
        conditions.put("workload", method.workload());
        conditions.put("JVM flags", method.jvmFlags());
        conditions.put("server cores", method.serverCores());
        conditions.put("load cores", method.loadCores());
        conditions.put("network", method.network());
        conditions.put("seconds per round", Figures.number(method.secondsPerRound()));
        return conditions;
    }
}
