package io.millrace.http.grammar;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// A cookie's date, parsed as user agents do (RFC 6265 section 5.1.1): a time, a day, a month and a year, in
/// this order of preference and at any place. Servers send more forms than [DateField] accepts.
public final class CookieDate {
    private static final Pattern DELIMITERS = Pattern.compile("[\\t\\x20-\\x2f\\x3b-\\x40\\x5b-\\x60\\x7b-\\x7e]+");
    private static final Pattern TIME = Pattern.compile("(\\d{1,2}):(\\d{1,2}):(\\d{1,2})(\\D.*)?");
    private static final Pattern DAY = Pattern.compile("(\\d{1,2})(\\D.*)?");
    private static final Pattern YEAR = Pattern.compile("(\\d{2,4})(\\D.*)?");
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

    private static final int NONE = -1;

    private int hour = NONE;
    private int minute;
    private int second;
    private int day = NONE;
    private int month;
    private int year = NONE;

    private CookieDate() {}

    /// In seconds since the Unix epoch, or nothing.
    public static OptionalLong parse(String text) {
        var date = new CookieDate();
        for (var token : DELIMITERS.split(text, -1)) date.take(token);
        return date.seconds();
    }

    private void take(String token) {
        boolean isTaken =
                (hour == NONE && isTime(token)) || (day == NONE && isDay(token)) || (month == 0 && isMonth(token));
        if (!isTaken && year == NONE) takeYear(token);
    }

    private boolean isTime(String token) {
        var found = TIME.matcher(token);
        if (!found.matches()) return false;
        hour = Integer.parseInt(found.group(1));
        minute = Integer.parseInt(found.group(2));
        second = Integer.parseInt(found.group(3));
        return true;
    }

    private boolean isDay(String token) {
        var found = DAY.matcher(token);
        if (!found.matches()) return false;
        day = Integer.parseInt(found.group(1));
        return true;
    }

    private boolean isMonth(String token) {
        if (token.length() < 3) return false;
        month = MONTHS.indexOf(token.substring(0, 3).toLowerCase(Locale.ROOT)) + 1;
        return month > 0;
    }

    private void takeYear(String token) {
        var found = YEAR.matcher(token);
        if (!found.matches()) return;
        int told = Integer.parseInt(found.group(1));
        if (told >= 70 && told <= 99) year = told + 1900;
        else if (told <= 69) year = told + 2000;
        else year = told;
    }

    private OptionalLong seconds() {
        boolean isDate = hour != NONE && day != NONE && month > 0 && year >= 1601;
        if (!isDate) return OptionalLong.empty();
        try {
            var date = LocalDateTime.of(year, month, day, hour, minute, second);
            return OptionalLong.of(date.toEpochSecond(ZoneOffset.UTC));
        } catch (DateTimeException _) {
            return OptionalLong.empty();
        }
    }
}
