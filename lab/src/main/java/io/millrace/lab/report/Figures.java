package io.millrace.lab.report;

import io.millrace.lab.stats.Estimate;
import io.millrace.lab.stats.Interval;
import java.util.Locale;

/// Numbers for readers: three significant digits, the same in every locale.
final class Figures {
    static final String NOTHING = "–";

    private Figures() {}

    /// `1,234,567`, `123`, `12.3`, `1.23`, `0.123`, `7`; a dash for what is no number.
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return NOTHING;
        }
        var size = Math.abs(value);
        if (size >= 99.95 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        if (size >= 9.995) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        if (size >= 0.9995) {
            return String.format(Locale.ROOT, "%.2f", value);
        }
        return String.format(Locale.ROOT, "%.3f", value);
    }

    /// `64 B`, `1 KiB`, `5.5 MiB`.
    static String bytes(double value) {
        if (!Double.isFinite(value) || value < 0) {
            return NOTHING;
        }
        var units = new String[] {"B", "KiB", "MiB", "GiB"};
        var unit = 0;
        var rest = value;
        while (rest >= 1024 && unit < units.length - 1) {
            rest /= 1024;
            unit++;
        }
        var isWhole = Math.abs(rest - Math.rint(rest)) < 0.005;
        return (isWhole ? String.valueOf(Math.round(rest)) : number(rest)) + " " + units[unit];
    }

    /// `123 [120 – 126]`.
    static String estimate(Estimate estimate) {
        return estimate.isKnown() ? number(estimate.median()) + " " + range(estimate.interval()) : NOTHING;
    }

    /// `1.23 [1.20 – 1.26]`, with two decimals also where [#number] would drop or add some.
    static String ratio(Estimate ratio) {
        if (!ratio.isKnown()) {
            return NOTHING;
        }
        var interval = ratio.interval();
        var range = interval.isBounded()
                ? "[" + decimals(interval.low()) + " – " + decimals(interval.high()) + "]"
                : range(interval);
        return decimals(ratio.median()) + " " + range;
    }

    private static String range(Interval interval) {
        return interval.isBounded()
                ? "[" + number(Math.max(0, interval.low())) + " – " + number(interval.high()) + "]"
                : "[too few rounds]";
    }

    private static String decimals(double ratio) {
        return ratio < 99.995 ? String.format(Locale.ROOT, "%.2f", ratio) : number(ratio);
    }
}
