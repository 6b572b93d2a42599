package io.millrace.http.operation;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.util.Locale;

/// The time in a log; its text is made once a second. Any thread.
public final class LogTime {
    private final InstantSource clock;
    private final DateTimeFormatter format;

    private record Second(long number, String text) {}

    private volatile Second last = new Second(Long.MIN_VALUE, "");

    private LogTime(InstantSource clock, DateTimeFormatter format) {
        this.clock = clock;
        this.format = format;
    }

    /// `22/Nov/2026:17:16:57 +0000`.
    public static LogTime combined(InstantSource clock, ZoneId zone) {
        return new LogTime(
                clock,
                DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
                        .withZone(zone));
    }

    /// `2026-11-22T17:16:57.123Z` (RFC 3339).
    public static LogTime json(InstantSource clock) {
        return new LogTime(
                clock,
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT)
                        .withZone(ZoneOffset.UTC));
    }

    /// Now, to the second.
    public String second() {
        return text(clock.instant());
    }

    /// Now, to the millisecond.
    public String millisecond() {
        var now = clock.instant();
        return text(now) + "." + three(now.get(ChronoField.MILLI_OF_SECOND)) + "Z";
    }

    /// A duration in seconds, with three decimals.
    public static String seconds(long nanos) {
        long millis = (nanos + 500_000) / 1_000_000;
        return millis / 1000 + "." + three(millis % 1000);
    }

    private static String three(long millis) {
        return (millis < 10 ? "00" : millis < 100 ? "0" : "") + millis;
    }

    private String text(Instant now) {
        var known = last;
        if (known.number == now.getEpochSecond()) return known.text;
        var made = new Second(now.getEpochSecond(), format.format(now));
        last = made;
        return made.text;
    }
}
