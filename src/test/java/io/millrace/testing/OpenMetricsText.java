package io.millrace.testing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads OpenMetrics text, and refuses what the specification (version 1.0) does not allow.
public final class OpenMetricsText {
    private static final Pattern META = Pattern.compile("# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? ([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\\"n])*)\"(,|$)");
    private static final Map<String, Set<String>> SUFFIXES = Map.of(
            "gauge", Set.of(""),
            "counter", Set.of("_total"),
            "histogram", Set.of("_bucket", "_count", "_sum"));

    private final List<Sample> samples = new ArrayList<>();
    private final Set<String> families = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private String family = "";
    private String type = "";

    /// One number.
    public record Sample(String name, Map<String, String> labels, double value) {}

    private OpenMetricsText() {}

    /// The numbers of a text.
    ///
    /// @throws IllegalArgumentException with the line that is wrong
    public static List<Sample> parse(String text) {
        if (text.indexOf("# EOF\n") != text.length() - "# EOF\n".length()) throw new IllegalArgumentException("no end");
        var reading = new OpenMetricsText();
        for (var line : text.split("\n", -1)) {
            if (line.equals("# EOF")) break;
            reading.line(line);
        }
        reading.checkHistograms();
        return reading.samples;
    }

    private void line(String line) {
        if (line.startsWith("#")) meta(line);
        else sample(line);
    }

    private void meta(String line) {
        var found = META.matcher(line);
        check(found.matches(), line);
        var name = found.group(2);
        if (found.group(1).equals("TYPE")) {
            check(families.add(name) && SUFFIXES.containsKey(found.group(3)), line);
            family = name;
            type = found.group(3);
        }
        check(name.equals(family), line);
        if (found.group(1).equals("UNIT")) check(name.endsWith("_" + found.group(3)), line);
    }

    private void sample(String line) {
        var found = SAMPLE.matcher(line);
        check(found.matches() && !family.isEmpty(), line);
        var name = found.group(1);
        check(
                name.startsWith(family)
                        && SUFFIXES.getOrDefault(type, Set.of()).contains(name.substring(family.length())),
                line);
        var labels = labels(found.group(2), line);
        check(seen.add(name + labels), line);
        double value = Double.parseDouble(found.group(3));
        check(type.equals("gauge") || value >= 0, line);
        samples.add(new Sample(name, labels, value));
    }

    private static Map<String, String> labels(String text, String line) {
        var labels = new LinkedHashMap<String, String>();
        if (text == null) return labels;
        var found = LABEL.matcher(text);
        int at = 0;
        while (at < text.length()) {
            check(found.find() && found.start() == at, line);
            check(labels.put(found.group(1), unescaped(found.group(2))) == null, line);
            at = found.end();
        }
        return labels;
    }

    private static String unescaped(String text) {
        var value = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') c = text.charAt(++i) == 'n' ? '\n' : text.charAt(i);
            value.append(c);
        }
        return value.toString();
    }

    /// Their buckets grow, the last is for everything, and has the count.
    private void checkHistograms() {
        double before = 0;
        double bound = Double.NEGATIVE_INFINITY;
        for (var sample : samples) {
            if (sample.name().endsWith("_bucket")) {
                var le = sample.labels().getOrDefault("le", "");
                double next = le.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(le);
                check(next > bound && sample.value() >= before, sample.toString());
                bound = next;
                before = sample.value();
            } else if (bound > Double.NEGATIVE_INFINITY) {
                check(bound == Double.POSITIVE_INFINITY, sample.toString());
                check(sample.name().endsWith("_count") && sample.value() == before, sample.toString());
                bound = Double.NEGATIVE_INFINITY;
                before = 0;
            }
        }
        check(bound == Double.NEGATIVE_INFINITY, "buckets without a count");
    }

    private static void check(boolean isFine, String line) {
        if (!isFine) throw new IllegalArgumentException(line);
    }
}
