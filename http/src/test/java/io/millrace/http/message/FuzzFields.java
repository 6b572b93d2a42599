package io.millrace.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.Form;
import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.grammar.ByteRange;
import io.millrace.http.grammar.DateField;
import io.millrace.http.grammar.FieldValue;
import io.millrace.http.grammar.Query;
import io.millrace.http.grammar.Target;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Small texts of peers, each with what it has to be: forms, queries, targets, dates, ranges, and values with
/// parameters. The first byte says which.
public final class FuzzFields {
    private static final long NOW = 1_700_000_000;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ROOT);
    private static final Pattern RANGE = Pattern.compile("(?i:bytes=)(?:([0-9]+)-([0-9]*)|-([0-9]+))");
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]";
    private static final Pattern VALUE =
            Pattern.compile("(?s)(" + TOKEN + "++(?:/" + TOKEN + "++)?+)[ \\t]*+(?:;.*+)?+");

    private FuzzFields() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) return;
        var bytes = Arrays.copyOfRange(input, 1, input.length);
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        switch (input[0]) {
            case 'f' -> form(bytes);
            case 'q' -> query(text);
            case 't' -> target(text);
            case 'd' -> date(text);
            case 'r' -> range(text);
            default -> value(text);
        }
    }

    /// What it says, encoded again, says the same.
    private static void form(byte[] bytes) {
        Form form;
        try {
            form = form(Bytes.of(bytes));
        } catch (HttpError e) {
            assertTrue(List.of(400, 413).contains(e.status()));
            return;
        }
        assertTrue(form.size() <= 20);
        var encoded = new StringBuilder();
        form.forEach((name, value) ->
                encoded.append(encoded(name)).append('=').append(encoded(value)).append('&'));
        assertEquals(pairs(form), pairs(form(Bytes.utf8(encoded.toString()))));
        form.forEach((name, value) -> assertTrue(form.all(name).contains(value)));
    }

    private static Form form(Bytes body) {
        var request = Request.post("/", body).addHeader("Content-Type", "application/x-www-form-urlencoded");
        return Form.of(request, Form.Limits.standard().fields(20).nameBytes(40).valueBytes(80));
    }

    private static String pairs(Form form) {
        var pairs = new StringBuilder();
        form.forEach(
                (name, value) -> pairs.append(name).append('\n').append(value).append('\n'));
        return pairs.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /// The first parameter has the name and the value that a split finds.
    private static void query(String text) {
        for (var pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            var name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            var found = Query.first(text, name);
            assertTrue(found.isPresent() || text.isEmpty() || pair.isEmpty(), name);
            if (text.startsWith(pair) && found.isPresent()) {
                assertEquals(equals < 0 ? "" : decoded(pair.substring(equals + 1)), found.get());
                break;
            }
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException noEscape) {
            return text;
        }
    }

    /// The canonical form is its own canonical form, and has nothing that another reader could read otherwise.
    private static void target(String text) {
        Target target;
        try {
            target = Target.parse(text);
        } catch (IllegalArgumentException _) {
            return;
        }
        if (target.path().equals("*")) return;
        var path = target.path();
        assertTrue(path.replaceAll("%[0-9A-F]{2}", "").matches("/[A-Za-z0-9._~!$&'()*+,;=:@/-]*"), path);
        assertFalse(path.matches(".*(?://|/\\.{1,2}(?:/|$)|%2F|%5C|%7F|%[01]).*"), path);
        assertTrue(target.query().replaceAll("%[0-9A-Fa-f]{2}", "").matches("[!-\"$&-~]*"), target.query());
        var again = Target.parse(target.query().isEmpty() ? path : path + "?" + target.query());
        assertEquals(path, again.path());
        assertEquals(target.query(), again.query());
    }

    /// The first form is that of the JDK; and what was read is sent in it.
    private static void date(String text) {
        var seconds = DateField.parse(text, NOW);
        if (seconds.isPresent() && isOfFourDigits(seconds.getAsLong())) {
            assertEquals(seconds, DateField.parse(DateField.text(seconds.getAsLong()), NOW));
        }
        try {
            var time = ZonedDateTime.parse(text, DATE.withZone(java.time.ZoneOffset.UTC));
            // Its formatter takes any day of a month to be its last one.
            if (text.equals(DATE.format(time))) assertEquals(time.toEpochSecond(), seconds.orElse(-1), text);
        } catch (DateTimeException e) {
            boolean isFirstForm = text.endsWith(" GMT") && text.indexOf(',') == 3;
            boolean isLeapSecond = text.contains(":60 ");
            assertTrue(seconds.isEmpty() || !isFirstForm || isLeapSecond, text);
        }
    }

    private static boolean isOfFourDigits(long seconds) {
        return seconds > -62_135_596_800L && seconds < 253_402_300_800L;
    }

    /// One range of bytes is within the file; anything else is all of it.
    private static void range(String text) {
        long size = text.length() % 7 == 0 ? 0 : 1000;
        var found = ByteRange.of(List.of(text), size);
        var strict = RANGE.matcher(text);
        if (!strict.matches()) {
            assertTrue(found instanceof ByteRange.Whole, text);
            return;
        }
        if (!(found instanceof ByteRange.Part part)) return;
        assertTrue(part.from() >= 0 && part.length() > 0 && part.from() + part.length() <= size, text);
        var first = strict.group(1);
        if (first != null) assertEquals(new java.math.BigInteger(first).longValueExact(), part.from());
        else assertEquals(size, part.from() + part.length());
    }

    /// What is read begins as a value does; and written in quotes it is the same.
    private static void value(String text) {
        // The wire has none.
        if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) return;
        var found = FieldValue.parse(text);
        if (found.isEmpty()) return;
        var strict = VALUE.matcher(text);
        assertTrue(strict.matches(), text);
        assertEquals(strict.group(1).toLowerCase(Locale.ROOT), found.get().value());
        var again = new StringBuilder(found.get().value());
        found.get()
                .parameters()
                .forEach((name, value) -> again.append("; ")
                        .append(name)
                        .append("=\"")
                        .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
                        .append('"'));
        assertEquals(found, FieldValue.parse(again.toString()));
    }
}
