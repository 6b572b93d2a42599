package io.millrace.http.h1;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// [io.millrace.http.message.HopByHop] on the bytes of a head.
final class HopFields {
    private HopFields() {}

    /// The fields without them.
    static FieldLines endToEnd(FieldLines fields) {
        var kept = new FieldLines();
        var named = named(fields);
        kept.copyFrom(fields, line -> !isOfHop(fields, line) && !isOneOf(named, fields, line));
        return kept;
    }

    /// Whether a line is one of the known hop-by-hop fields, frames the message, or names the host: the next head
    /// has its own.
    static boolean isOfHop(FieldLines fields, int line) {
        return switch (fields.nameLength(line)) {
            case 2 -> fields.isNamed(line, "te");
            case 4 -> fields.isNamed(line, "host");
            case 6 -> fields.isNamed(line, "expect");
            case 7 -> fields.isNamed(line, "trailer") || fields.isNamed(line, "upgrade");
            case 10 -> fields.isNamed(line, "connection") || fields.isNamed(line, "keep-alive");
            case 14 -> fields.isNamed(line, "content-length");
            case 16 -> fields.isNamed(line, "proxy-connection");
            case 17 -> fields.isNamed(line, "transfer-encoding");
            case 19 -> fields.isNamed(line, "proxy-authorization");
            default -> false;
        };
    }

    /// Names in the `Connection` lines of a head, in small letters, without the usual ones.
    static List<String> named(FieldLines fields) {
        List<String> named = List.of();
        for (int line = fields.find("connection", 0); line >= 0; line = fields.find("connection", line + 1)) {
            if (fields.isValue(line, "keep-alive") || fields.isValue(line, "close")) continue;
            for (var option : fields.valueText(line).toLowerCase(Locale.ROOT).split(",", -1)) {
                var name = option.strip();
                if (name.isEmpty() || name.equals("close") || name.equals("keep-alive")) continue;
                if (named.isEmpty()) named = new ArrayList<>();
                named.add(name);
            }
        }
        return named;
    }

    /// Whether a line has one of these names, given in small letters.
    static boolean isOneOf(List<String> names, FieldLines fields, int line) {
        for (int i = 0; i < names.size(); i++) {
            var name = names.get(i);
            if (name.length() == fields.nameLength(line) && fields.isNamed(line, name)) return true;
        }
        return false;
    }
}
