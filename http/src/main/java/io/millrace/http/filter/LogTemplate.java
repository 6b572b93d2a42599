package io.millrace.http.filter;

import io.millrace.http.ServedRequest;
import io.millrace.http.filter.RequestTemplate.Piece;
import io.millrace.http.operation.AccessLines;
import io.millrace.http.operation.AccessLines.LineLayout;
import io.millrace.http.operation.LogLine;
import io.millrace.http.operation.LogTime;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Lines of a log that are made of templates. Immutable; any thread.
///
/// @param time for `time`
/// @param local for `local-time`
/// @param more fields besides those of all logs
record LogTemplate(LogTime time, LogTime local, LogFields more) {
    private static final List<String> NUMBERS =
            List.of("status", "grpc-status", "request-bytes", "response-bytes", "seconds", "first-byte-seconds");
    private static final List<String> TEXTS =
            List.of("time", "local-time", "protocol", "user", "route", "refused", "failure");

    /// Outside of quotes a blank ends a value, and so does one of these that the format's own text has.
    private static final String SEPARATORS = ",;|]";

    private static final String NONE = "-";

    /// A template for a log.
    ///
    /// @throws IllegalArgumentException for one without values, and as [RequestTemplate#of]
    static RequestTemplate checked(String text) {
        if (!text.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t'))
            throw new IllegalArgumentException("a log has printable ASCII characters and tabs only: leave others out");
        var template = RequestTemplate.of(text);
        if (template.isConstant())
            throw new IllegalArgumentException("every line would be the same: name values in braces, like {status}");
        return template;
    }

    /// Whether all its names are values of a log.
    ///
    /// @throws IllegalArgumentException naming one that is none
    static void check(RequestTemplate template, LogFields more) {
        var known = new LinkedHashSet<>(NUMBERS);
        known.addAll(TEXTS);
        known.addAll(more.names().stream().sorted().toList());
        for (var name : template.parameters()) {
            if (known.contains(name)) continue;
            throw new IllegalArgumentException("a log has no value {" + name + "}: take one of "
                    + String.join(", ", RequestTemplate.values()) + ", " + String.join(", ", known));
        }
    }

    /// Lines of text.
    LineLayout line(RequestTemplate template) {
        var own = template.pieces().stream().map(Piece::before).collect(Collectors.joining()) + template.end();
        var ends = " "
                + SEPARATORS
                        .chars()
                        .filter(c -> own.indexOf(c) >= 0)
                        .mapToObj(Character::toString)
                        .collect(Collectors.joining());
        boolean hasMore = hasMore(template);
        return (served, line) -> {
            var fields = hasMore ? more.of(served) : Map.<String, Object>of();
            for (var piece : template.pieces()) {
                var value = value(piece, served, fields);
                line.text(piece.before()).escaped(value.isEmpty() ? NONE : value, piece.isQuoted() ? "" : ends);
            }
            line.text(template.end());
        };
    }

    /// Objects of JSON.
    LineLayout json(Map<String, RequestTemplate> all) {
        boolean hasMore = all.values().stream().anyMatch(this::hasMore);
        return (served, line) -> {
            var fields = hasMore ? more.of(served) : Map.<String, Object>of();
            line.text("{");
            boolean isFirst = true;
            for (var field : all.entrySet()) {
                var value = value(field.getValue(), served, fields);
                if (value.isEmpty()) continue;
                line.text(isFirst ? "" : ",").json(field.getKey()).text(":");
                if (isNumber(field.getValue(), fields)) line.text(value);
                else line.json(value);
                isFirst = false;
            }
            line.text("}");
        };
    }

    private boolean hasMore(RequestTemplate template) {
        return template.parameters().stream()
                .anyMatch(name -> more.names().contains(name) || name.equals("failure") || name.equals("route"));
    }

    private static boolean isNumber(RequestTemplate template, Map<String, Object> fields) {
        if (template.pieces().size() != 1 || !template.end().isEmpty()) return false;
        var only = template.pieces().getFirst();
        if (only.value() != null || !only.before().isEmpty()) return false;
        return NUMBERS.contains(only.name()) || fields.get(key(only.name())) instanceof Number;
    }

    /// Nothing if none of its values is there.
    private String value(RequestTemplate template, ServedRequest served, Map<String, Object> fields) {
        var text = new StringBuilder();
        boolean hasAny = false;
        for (var piece : template.pieces()) {
            var value = value(piece, served, fields);
            hasAny |= !value.isEmpty();
            text.append(piece.before()).append(value, 0, Math.min(value.length(), LogLine.MOST_CHARACTERS));
        }
        return hasAny ? text.append(template.end()).toString() : "";
    }

    private static String key(String name) {
        return name.replace('-', '_');
    }

    private String value(Piece piece, ServedRequest served, Map<String, Object> fields) {
        var known = piece.value();
        if (known == null) {
            var told = fields.get(key(piece.name()));
            return told == null ? own(piece.name(), served) : told.toString();
        }
        if (served.request().isPresent()) return known.in(served.request().get(), piece.name());
        return switch (known) {
            case CLIENT -> RequestValue.client(served.remote());
            case CLIENT_PORT -> RequestValue.clientPort(served.remote());
            default -> "";
        };
    }

    private String own(String name, ServedRequest served) {
        return switch (name) {
            case "time" -> time.millisecond();
            case "local-time" -> local.second();
            case "status" -> "" + AccessLines.status(served);
            case "grpc-status" ->
                served.grpcStatus().isPresent() ? "" + served.grpcStatus().getAsInt() : "";
            case "request-bytes" -> "" + served.requestBytes();
            case "response-bytes" -> "" + served.responseBytes();
            case "seconds" -> LogTime.seconds(served.nanos());
            case "first-byte-seconds" -> served.firstByteNanos() > 0 ? LogTime.seconds(served.firstByteNanos()) : "";
            case "protocol" -> served.protocol();
            case "user" -> AccessLines.user(served).orElse("");
            case "route" -> served.route().orElse("");
            case "refused" -> served.refusedLine();
            case "failure" -> served.failure();
            default -> "";
        };
    }
}
