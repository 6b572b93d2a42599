package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Fields that speak of one connection and not of the message, which nobody passes on (RFC 9110 section 7.6.1):
/// those that are known, and those that `Connection` names. `Proxy-Authenticate` is passed on: without it nobody
/// knows what a 407 asks for.
public final class HopByHop {
    private static final Set<String> KNOWN = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private HopByHop() {}

    /// What is left of a message's fields; without its length, too, which who sends it says himself.
    public static Headers endToEnd(Headers all) {
        return all instanceof WireHeaders wire ? new WireHeaders(endToEnd(wire.fields)) : built(all);
    }

    /// The same, and one more field, which is known to be valid.
    public static Headers endToEnd(Headers all, String name, String value) {
        boolean hasRoom = all instanceof WireHeaders wire && wire.fields.hasRoom(name, value);
        if (!hasRoom) return built(all).with(name, value);
        var fields = endToEnd(((WireHeaders) all).fields);
        fields.append(name, value);
        return new WireHeaders(fields);
    }

    private static Fields endToEnd(Fields fields) {
        var kept = new Fields();
        var named = named(fields);
        kept.copyFrom(fields, line -> !isOfHop(fields, line) && !isOneOf(named, fields, line));
        return kept;
    }

    private static Headers built(Headers all) {
        var named = named(all);
        var kept = Headers.builder();
        for (int i = 0; i < all.size(); i++) {
            var name = all.name(i);
            var small = name.toLowerCase(Locale.ROOT);
            boolean isOfHop = KNOWN.contains(small) || small.equals("content-length") || named.contains(small);
            if (!isOfHop) kept.add(name, all.value(i));
        }
        return kept.build();
    }

    /// Names in `Connection`, in small letters.
    static List<String> named(Headers all) {
        var named = new ArrayList<String>(0);
        for (int i = 0; i < all.size(); i++) {
            if (!all.name(i).equalsIgnoreCase("Connection")) continue;
            for (var option : all.value(i).split(",", -1))
                named.add(option.strip().toLowerCase(Locale.ROOT));
        }
        return named;
    }

    /// Whether a line is one of the known ones, or says how the message is framed, or whom it is for: what the
    /// next head has of its own.
    static boolean isOfHop(Fields fields, int line) {
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

    /// Names in the `Connection` lines of a head, in small letters, but for those that everybody sends.
    static List<String> named(Fields fields) {
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

    /// Whether a line has one of these names, in small letters.
    static boolean isOneOf(List<String> names, Fields fields, int line) {
        for (int i = 0; i < names.size(); i++) {
            var name = names.get(i);
            if (name.length() == fields.nameLength(line) && fields.isNamed(line, name)) return true;
        }
        return false;
    }

    /// What is passed on of the fields behind a body: nothing that is not passed on in front of it.
    ///
    /// @param head of the same message, whose `Connection` names more that are left out
    /// @param names of others
    public static Headers trailers(Headers trailers, Headers head, List<String> names) {
        if (trailers.size() == 0) return trailers;
        var named = named(head);
        var kept = Headers.builder();
        endToEnd(trailers).forEach((name, value) -> {
            boolean isNamed = named.contains(name.toLowerCase(Locale.ROOT));
            if (!isNamed && !StrippedFields.isOneOf(names, name)) kept.add(name, value);
        });
        return kept.build();
    }
}
