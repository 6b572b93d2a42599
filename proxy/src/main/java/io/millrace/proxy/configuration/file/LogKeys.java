package io.millrace.proxy.configuration.file;

import io.millrace.http.filter.AccessLog.Format;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.proxy.ProxyInfo;
import io.millrace.proxy.configuration.Configuration.AccessLogSettings;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Values;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/// The access log.
final class LogKeys {
    private static final List<Format> KNOWN = List.of(Format.COMMON, Format.COMBINED, Format.JSON);
    private static final String TEXT = "[\\t -~]+";

    private static final Scalar<Format> FORMAT_TEXT = Scalar.of(
                    "a format", TEXT, "combined", LogKeys::format, Format::toString)
            .literally(RequestTemplate::literal);

    private static final Key<Format> FORMAT = Key.standard(
            "format",
            FORMAT_TEXT,
            Format.COMBINED,
            "`common` or `combined` as in Apache and nginx, `json` for a JSON object on each line, or a text with"
                    + " [values](#values-of-a-request), like `{client} {status} {seconds}`.");
    private static final Key<SequencedMap<String, String>> FIELDS = Key.optional(
            "fields",
            Named.of(
                    "log field",
                    "[A-Za-z_@][A-Za-z0-9_.@-]{0,62}",
                    Scalar.text("a text with values", TEXT, "{status}").literally(RequestTemplate::literal)),
            "The fields of the JSON object in place of the usual ones, each a text with"
                    + " [values](#values-of-a-request). One that is a single number is a number; one whose values"
                    + " are not there is left out. With `format: json`.");
    private static final Key<Path> FILE = Key.optional(
            "file",
            Words.NEW_FILE,
            "The file; reopened on SIGUSR1. Relative to the folder of the configuration. By default standard output.");

    static final Key<AccessLogSettings> KEY = Key.optional(
            "access-log",
            new TextOr<>(
                    Scalar.of(
                                    FORMAT_TEXT.name(),
                                    TEXT,
                                    FORMAT_TEXT.example(),
                                    text -> new AccessLogSettings(format(text), Optional.empty()),
                                    settings -> settings.format().toString())
                            .literally(RequestTemplate::literal),
                    Section.of("access log", "A line for each request.", LogKeys::settings, FORMAT, FIELDS, FILE)),
            "A line for each request: a format, or a mapping.");

    private LogKeys() {}

    private static Format format(String text) {
        for (var known : KNOWN) if (known.toString().equals(text)) return known;
        if (text.indexOf('{') < 0) {
            throw new IllegalArgumentException("it is unknown: take common, combined or json, or a text with values in"
                    + " braces, like {client} {status}");
        }
        return checked(Format.of(text));
    }

    private static Format checked(Format format) {
        format.check(ProxyInfo.LOG_FIELDS);
        return format;
    }

    private static AccessLogSettings settings(Values values) {
        var format = values.of(FORMAT);
        var fields = values.optional(FIELDS);
        if (fields.isEmpty()) return new AccessLogSettings(format, values.optional(FILE));
        if (!format.equals(Format.JSON))
            throw values.refused(FIELDS, "they are of an object of JSON: add format: json, or leave them out");
        try {
            return new AccessLogSettings(checked(Format.json(fields.get())), values.optional(FILE));
        } catch (IllegalArgumentException e) {
            throw values.refused(FIELDS, String.valueOf(e.getMessage()));
        }
    }
}
