package io.millrace.loop;

import java.time.Duration;
import java.util.regex.Pattern;

/// Durations as they are written in configurations and options: a whole number and a unit.
public final class Durations {
    /// As a regular expression.
    public static final String FORM = "(0|[1-9][0-9]{0,8})(ms|s|m|h|d)";

    private static final Pattern PATTERN = Pattern.compile(FORM);

    private Durations() {}

    /// Zero has a unit, too.
    ///
    /// @throws IllegalArgumentException for any other text
    public static Duration parse(String text) {
        var parts = PATTERN.matcher(text);
        if (!parts.matches()) throw new IllegalArgumentException("write one like 500ms, 5s, 2m, 1h or 1d");
        long count = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }

    /// With the largest unit that it is a whole number of; a day is written as hours.
    public static String text(Duration value) {
        long millis = value.toMillis();
        if (millis % 1000 != 0) return millis + "ms";
        long seconds = millis / 1000;
        if (seconds == 0 || seconds % 60 != 0) return seconds + "s";
        return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds / 60 + "m";
    }

    /// Refuses a value out of the range.
    ///
    /// @throws IllegalArgumentException names the range
    public static void check(Duration value, Duration least, Duration most) {
        if (value.compareTo(least) >= 0 && value.compareTo(most) <= 0) return;
        throw new IllegalArgumentException("out of range: take " + text(least) + " to " + text(most));
    }
}
