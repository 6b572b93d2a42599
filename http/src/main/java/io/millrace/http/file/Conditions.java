package io.millrace.http.file;

import io.millrace.http.Headers;
import io.millrace.http.grammar.DateField;
import io.millrace.http.grammar.EntityTag;
import java.util.List;
import java.util.OptionalLong;

/// Evaluates the conditions of a request for a file (RFC 9110 section 13), in the order of section 13.2.2. A
/// malformed date is ignored; a malformed list of tags matches nothing.
final class Conditions {
    private final Headers headers;
    private final FileVersion version;
    private final long nowSeconds;

    Conditions(Headers headers, FileVersion version, long nowSeconds) {
        this.headers = headers;
        this.version = version;
        this.nowSeconds = nowSeconds;
    }

    /// 200 if all conditions hold, otherwise 412 or 304.
    int status() {
        if (headers.has("If-Match")) {
            if (!hasMatch()) return 412;
        } else {
            var date = date("If-Unmodified-Since");
            if (date.isPresent() && version.modifiedSeconds() > date.getAsLong()) return 412;
        }
        if (headers.has("If-None-Match")) return hasWeakMatch() ? 304 : 200;
        var date = date("If-Modified-Since");
        return date.isPresent() && version.modifiedSeconds() <= date.getAsLong() ? 304 : 200;
    }

    /// Section 13.1.1: the strong comparison, which a weak tag never passes.
    private boolean hasMatch() {
        var lines = headers.all("If-Match");
        return isAnything(lines) || tags(lines).stream().anyMatch(version.tag()::matchesStrongly);
    }

    /// Section 13.1.2.
    private boolean hasWeakMatch() {
        var lines = headers.all("If-None-Match");
        return isAnything(lines) || tags(lines).stream().anyMatch(version.tag()::matchesWeakly);
    }

    private static boolean isAnything(List<String> lines) {
        return lines.equals(List.of("*"));
    }

    private static List<EntityTag> tags(List<String> lines) {
        return EntityTag.list(String.join(",", lines));
    }

    /// Whether a range still belongs to the version that the peer has a part of (section 13.1.5); otherwise
    /// it gets the whole file.
    boolean allowRange() {
        var lines = headers.all("If-Range");
        if (lines.isEmpty()) return true;
        if (lines.size() > 1) return false;
        var field = lines.getFirst();
        int quote = field.indexOf('"');
        if (quote >= 0 && quote < 3) {
            return EntityTag.parse(field).filter(version.tag()::matchesStrongly).isPresent();
        }
        // A peer that follows this section sends a date only if it saw the file after the second of the
        // file's last change; so that second has passed here, too.
        var date = DateField.parse(field, nowSeconds);
        return version.isSettled() && date.isPresent() && date.getAsLong() == version.modifiedSeconds();
    }

    private OptionalLong date(String name) {
        var lines = headers.all(name);
        return lines.size() == 1 ? DateField.parse(lines.getFirst(), nowSeconds) : OptionalLong.empty();
    }
}
