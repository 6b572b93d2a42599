package io.millrace.http.grammar;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/// A date in a field (RFC 9110 section 5.6.7), in seconds since the Unix epoch.
///
/// ```
///   Sun, 06 Nov 1994 08:49:37 GMT     the form that is sent
///   Sunday, 06-Nov-94 08:49:37 GMT    obsolete, with half a year
///   Sun Nov  6 08:49:37 1994          obsolete, from asctime()
/// ```
/// Case and blanks must be exactly as here, and the weekday must match the date; anything else is not a date.
public final class DateField {
    private static final List<String> DAYS =
            List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday");
    private static final List<String> SHORT_DAYS =
            DAYS.stream().map(day -> day.substring(0, 3)).toList();
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

    /// Half a year never means one further ahead.
    private static final int MOST_YEARS_AHEAD = 50;

    private DateField() {}

    /// The form that is sent; for four-digit years.
    public static String text(long seconds) {
        var time = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
        return String.format(
                Locale.ROOT,
                "%s, %02d %s %04d %02d:%02d:%02d GMT",
                SHORT_DAYS.get(time.getDayOfWeek().getValue() - 1),
                time.getDayOfMonth(),
                MONTHS.get(time.getMonthValue() - 1),
                time.getYear(),
                time.getHour(),
                time.getMinute(),
                time.getSecond());
    }

    /// The date in any of the three forms, or nothing.
    ///
    /// @param nowSeconds used to complete half a year
    public static OptionalLong parse(String text, long nowSeconds) {
        if (fits(text, "???, 00 ??? 0000 00:00:00 GMT")) {
            var date = new Day(SHORT_DAYS.indexOf(text.substring(0, 3)), digits(text, 5, 2), text.substring(8, 11));
            return date.seconds(digits(text, 12, 4), text.substring(17));
        }
        if (fits(text, "??? ???  0 00:00:00 0000") || fits(text, "??? ??? 00 00:00:00 0000")) {
            int day = text.charAt(8) == ' ' ? digits(text, 9, 1) : digits(text, 8, 2);
            var date = new Day(SHORT_DAYS.indexOf(text.substring(0, 3)), day, text.substring(4, 7));
            return date.seconds(digits(text, 20, 4), text.substring(11));
        }
        int comma = text.indexOf(',');
        if (comma < 0) return OptionalLong.empty();
        var rest = text.substring(comma);
        if (!fits(rest, ", 00-???-00 00:00:00 GMT")) return OptionalLong.empty();
        var date = new Day(DAYS.indexOf(text.substring(0, comma)), digits(rest, 2, 2), rest.substring(5, 8));
        return date.secondsOfHalfYear(digits(rest, 9, 2), rest.substring(12), nowSeconds);
    }

    /// A time of day as a `Date` field; the same object within a second.
    ///
    /// @param millis since the Unix epoch
    public static String at(long millis) {
        long second = millis / 1000;
        var known = last;
        if (known.second != second) last = known = new Now(second, text(second));
        return known.text;
    }

    private record Now(long second, String text) {}

    private static volatile Now last = new Now(0, text(0));

    /// Whether a text has a digit for each 0, anything for each question mark, and is otherwise equal.
    private static boolean fits(String text, String shape) {
        if (text.length() != shape.length()) return false;
        for (int i = 0; i < shape.length(); i++) {
            char c = text.charAt(i);
            char wanted = shape.charAt(i);
            boolean fits = wanted == '0' ? isDigit(c) : wanted == '?' || wanted == c;
            if (!fits) return false;
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int digits(String text, int from, int length) {
        return Integer.parseInt(text, from, from + length, 10);
    }

    /// A day of a year not yet known.
    ///
    /// @param weekday 0 for Monday; -1 for an invalid one
    private record Day(int weekday, int ofMonth, String month) {
        OptionalLong secondsOfHalfYear(int halfYear, String time, long nowSeconds) {
            var latest =
                    LocalDateTime.ofEpochSecond(nowSeconds, 0, ZoneOffset.UTC).plusYears(MOST_YEARS_AHEAD);
            int year = latest.getYear() - Math.floorMod(latest.getYear() - halfYear, 100);
            var counted = count(year, time);
            boolean isTooFar = counted.isPresent() && counted.getAsLong() > latest.toEpochSecond(ZoneOffset.UTC);
            return seconds(isTooFar ? year - 100 : year, time);
        }

        OptionalLong seconds(int year, String time) {
            var counted = count(year, time);
            if (counted.isEmpty()) return counted;
            var date = LocalDate.of(year, MONTHS.indexOf(month) + 1, ofMonth);
            return date.getDayOfWeek().getValue() == weekday + 1 ? counted : OptionalLong.empty();
        }

        /// @param time begins with `hh:mm:ss`
        private OptionalLong count(int year, String time) {
            int monthOfYear = MONTHS.indexOf(month) + 1;
            if (monthOfYear == 0 || ofMonth < 1) return OptionalLong.empty();
            if (ofMonth > YearMonth.of(year, monthOfYear).lengthOfMonth()) return OptionalLong.empty();
            int hour = digits(time, 0, 2);
            int minute = digits(time, 3, 2);
            int second = digits(time, 6, 2);
            boolean isLeapSecond = hour == 23 && minute == 59 && second == 60;
            if (hour > 23 || minute > 59 || (second > 59 && !isLeapSecond)) return OptionalLong.empty();
            long days = LocalDate.of(year, monthOfYear, ofMonth).toEpochDay();
            return OptionalLong.of(((days * 24 + hour) * 60 + minute) * 60 + second);
        }
    }
}
