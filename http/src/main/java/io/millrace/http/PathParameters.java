package io.millrace.http;

import java.util.List;
import java.util.stream.Stream;

/// The values of a route's parameters in a path, decoded once: `%2520` is `%20`. Immutable.
///
/// They come from the peer: use one, say, to look a file up, but do not trust it as a file name.
public final class PathParameters {
    private static final int MOST_DIGITS = 18;

    /// Those of a pattern without any.
    static final PathParameters NONE = new PathParameters(List.of(), List.of());

    private final List<String> names;
    private final List<String> values;

    PathParameters(List<String> names, List<String> values) {
        this.names = names;
        this.values = values;
    }

    /// The parameters of the route that handles a request, and of the mounts in front of it: for filters around
    /// the route, or around a mount, which sees those known there. None if no route has matched yet.
    public static PathParameters of(Request request) {
        return request.match().parameters();
    }

    /// A copy with another pattern's parameters, which hide those of the same name.
    PathParameters and(List<String> moreNames, List<String> moreValues) {
        return names.isEmpty()
                ? new PathParameters(moreNames, moreValues)
                : new PathParameters(joined(names, moreNames), joined(values, moreValues));
    }

    private static List<String> joined(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /// A parameter's text. It is not empty, unless it is the rest of a path.
    ///
    /// @throws IllegalArgumentException if neither the pattern nor a mount has a parameter of this name
    public String text(String name) {
        int index = names.lastIndexOf(name);
        if (index >= 0) return values.get(index);
        throw new IllegalArgumentException(
                "the route's pattern has no parameter {" + name + "}: use one of " + names + ", or add it");
    }

    /// A parameter as a number: decimal digits, 18 at most, without a sign.
    ///
    /// @throws HttpError with 404 for anything else
    /// @throws IllegalArgumentException if the pattern has no parameter of this name
    public long number(String name) {
        var text = text(name);
        boolean isNumber =
                !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber) throw new HttpError(404, "the path parameter " + name + " is not a number");
        return Long.parseLong(text);
    }

    /// Names and values, for logs.
    @Override
    public String toString() {
        return names + " " + values;
    }
}
