package io.millrace.http;

import io.millrace.http.grammar.Escapes;
import io.millrace.http.grammar.FieldValue;
import io.millrace.http.grammar.HtmlText;
import io.millrace.http.grammar.JsonString;
import io.millrace.http.grammar.ReasonPhrase;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Errors as problem details (RFC 9457), in the form that the request accepts.
final class Problems implements ErrorResponses {
    static final Problems STANDARD = new Problems();

    private static final String PROBLEM = "application/problem+json";

    /// RFC 3986 section 3.5.
    private static final String IN_FRAGMENT = "/?:@!$&'()*+,;=";

    /// The forms; the first one is the default.
    private static final List<String> FORMS = List.of(PROBLEM, JsonValues.MEDIA_TYPE, "text/html", "text/plain");

    private Problems() {}

    @Override
    public Response of(Response error, Optional<Request> request, Optional<Throwable> cause) {
        int status = error.status();
        var known = cause.filter(HttpError.class::isInstance).map(HttpError.class::cast);
        var detail = known.flatMap(HttpError::detail);
        var fields = known.map(HttpError::fields).orElse(List.of());
        var form = request.map(Problems::accepted).orElse(PROBLEM);
        var made = switch (form) {
            case "text/html" -> Response.html(html(status, detail, fields)).withStatus(status);
            case "text/plain" -> Response.ok(text(status, detail, fields)).withStatus(status);
            default -> Response.of(status, form, json(status, detail, fields));
        };
        for (var field : error.headers().all("Vary")) made = made.addHeader("Vary", field);
        return made.addHeader("Vary", "Accept");
    }

    // The form (RFC 9110 section 12.5.1).

    /// The form with the highest weight. A peer that accepts none of them gets the first, because an error is
    /// better in any form.
    private static String accepted(Request request) {
        var lines = request.headers("Accept");
        if (lines.isEmpty()) return PROBLEM;
        var ranges = lines.stream()
                .flatMap(line -> List.of(line.split(",")).stream())
                .flatMap(range -> FieldValue.parse(range.strip()).stream())
                .toList();
        var best = PROBLEM;
        int most = 0;
        for (var form : FORMS) {
            int weight = weight(form, ranges);
            if (weight > most) best = form;
            most = Math.max(most, weight);
        }
        return best;
    }

    /// The weight of the most specific range that matches; 0 if none does.
    private static int weight(String form, List<FieldValue> ranges) {
        var group = form.substring(0, form.indexOf('/')) + "/*";
        for (var name : List.of(form, group, "*/*")) {
            for (var range : ranges) if (range.value().equals(name)) return weight(range);
        }
        return 0;
    }

    private static int weight(FieldValue range) {
        return range.parameter("q")
                .map(q -> Math.max(0, FieldValue.weight("q=" + q)))
                .orElse(FieldValue.MOST_WEIGHT);
    }

    // The contents.

    private static String json(int status, Optional<String> detail, List<FieldError> fields) {
        var text = new StringBuilder("{\"title\":")
                .append(JsonString.of(ReasonPhrase.of(status)))
                .append(",\"status\":")
                .append(status);
        detail.ifPresent(words -> text.append(",\"detail\":").append(JsonString.of(words)));
        if (!fields.isEmpty()) {
            text.append(fields.stream().map(Problems::json).collect(Collectors.joining(",", ",\"errors\":[", "]")));
        }
        return text.append('}').toString();
    }

    /// A pointer as a URI fragment (RFC 6901 section 6), as in RFC 9457 section 3.
    private static String json(FieldError field) {
        boolean isPointer = field.field().startsWith("/");
        return "{\"detail\":" + JsonString.of(field.detail())
                + (isPointer ? ",\"pointer\":" : ",\"parameter\":")
                + JsonString.of(isPointer ? "#" + Escapes.encoded(field.field(), IN_FRAGMENT) : field.field()) + "}";
    }

    private static String text(int status, Optional<String> detail, List<FieldError> fields) {
        var text = new StringBuilder(ReasonPhrase.of(status)).append('\n');
        detail.ifPresent(words -> text.append(words).append('\n'));
        for (var one : fields)
            text.append(one.field()).append(' ').append(one.detail()).append('\n');
        return text.toString();
    }

    private static String html(int status, Optional<String> detail, List<FieldError> fields) {
        var phrase = HtmlText.of(ReasonPhrase.of(status));
        var page = new StringBuilder(
                "<!doctype html><meta charset=utf-8><title>" + phrase + "</title><h1>" + phrase + "</h1>");
        detail.ifPresent(words -> page.append("<p>").append(HtmlText.of(words)).append("</p>"));
        if (fields.isEmpty()) return page.append('\n').toString();
        return page.append(fields.stream()
                        .map(one -> "<li>" + HtmlText.of(one.field()) + " " + HtmlText.of(one.detail()) + "</li>")
                        .collect(Collectors.joining("", "<ul>", "</ul>\n")))
                .toString();
    }
}
