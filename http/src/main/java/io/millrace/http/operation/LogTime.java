package io.millrace.http.operation;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.util.Locale;

/// The time in a log; its text is made once a second. Any thread.
final class LogTime {
    private final InstantSource clock;
    private final DateTimeFormatter format;

    private record Second(long number, String text) {}

    private volatile Second last = new Second(Long.MIN_VALUE, "");

    private LogTime(InstantSource clock, DateTimeFormatter format) {
        this.clock = clock;
        this.format = format;
    }

    /// `22/Nov/2026:17:16:57 +0000`.
    static LogTime combined(InstantSource clock, ZoneId zone) {
        return new LogTime(
                clock,
                DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
                        .withZone(zone));
    }

    /// `2026-11-22T17:16:57.123Z` (RFC 3339).
    static LogTime json(InstantSource clock) {
        return new LogTime(
                clock,
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT)
                        .withZone(ZoneOffset.UTC));
    }

    void second(LogLine to) {
        to.text(text(clock.instant()));
    }

    void millisecond(LogLine to) {
        var now = clock.instant();
        int millis = now.get(ChronoField.MILLI_OF_SECOND);
        to.text(text(now))
                .text(millis < 10 ? ".00" : millis < 100 ? ".0" : ".")
                .number(millis)
                .text("Z");
    }

    private String text(Instant now) {
        var known = last;
        if (known.number == now.getEpochSecond()) return known.text;
        var made = new Second(now.getEpochSecond(), format.format(now));
        last = made;
        return made.text;
    }
}
