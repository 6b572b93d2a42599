package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Fields about a connection and not the message, which are not passed on (RFC 9110 section 7.6.1): the known
/// ones, and those that `Connection` names. `Proxy-Authenticate` is passed on: without it a client does not
/// know what a 407 demands.
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

    /// A message's fields without them, and without its length, which the sender sets itself.
    public static Headers endToEnd(Headers all) {
        return all instanceof ReceivedHeaders received ? received.endToEnd() : rebuilt(all);
    }

    /// The same, and one more field, known to be valid.
    public static Headers endToEnd(Headers all, String name, String value) {
        return all instanceof ReceivedHeaders received
                ? received.endToEnd(name, value)
                : rebuilt(all).with(name, value);
    }

    /// The remaining fields, made from text.
    public static Headers rebuilt(Headers all) {
        var named = named(all);
        var kept = Headers.builder();
        for (int i = 0; i < all.size(); i++) {
            var name = all.name(i);
            var small = name.toLowerCase(Locale.ROOT);
            if (!isOfHop(small) && !named.contains(small)) kept.add(name, all.value(i));
        }
        return kept.build();
    }

    /// Whether a field is one of them whatever `Connection` says, or the length.
    ///
    /// @param name in small letters
    public static boolean isOfHop(String name) {
        return KNOWN.contains(name) || name.equals("content-length");
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

    /// The trailers to pass on: no field that is not passed on in a head.
    ///
    /// @param head of the same message, whose `Connection` names more fields to leave out
    /// @param names of further fields to leave out
    public static Headers trailers(Headers trailers, Headers head, List<String> names) {
        if (trailers.size() == 0) return trailers;
        var named = named(head);
        var kept = endToEnd(trailers);
        for (int i = kept.size() - 1; i >= 0; i--) {
            var name = kept.name(i);
            boolean isNamed = named.contains(name.toLowerCase(Locale.ROOT));
            if (!isNamed && !StrippedFields.isOneOf(names, name)) continue;
            kept = kept.without(name);
            i = Math.min(i, kept.size());
        }
        return kept;
    }
}
