package io.millrace.http;

import java.util.List;
import java.util.stream.Stream;

/// What stands in a path where the pattern of its route has parameters, decoded once: `%2520` is `%20`.
/// Immutable.
///
/// They are what a peer sent: a name for a file, say, has to be looked up and not to be trusted.
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

    /// Those of the route that a request has come to, with those of the mounts in front of it: for filters
    /// around the route, or around one of the mounts, which sees what is known there. None where no route
    /// has matched yet.
    public static PathParameters of(Request request) {
        return request.match().parameters();
    }

    /// With those of another pattern, which hide what has the same name.
    PathParameters and(List<String> moreNames, List<String> moreValues) {
        return names.isEmpty()
                ? new PathParameters(moreNames, moreValues)
                : new PathParameters(joined(names, moreNames), joined(values, moreValues));
    }

    private static List<String> joined(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /// The text of a parameter. It is not empty, unless it is the rest of a path.
    ///
    /// @throws IllegalArgumentException when neither the pattern nor a mount has one of this name
    public String text(String name) {
        int index = names.lastIndexOf(name);
        if (index >= 0) return values.get(index);
        throw new IllegalArgumentException(
                "the route's pattern has no parameter {" + name + "}: take one of " + names + ", or add it");
    }

    /// The number that a parameter is: decimal digits, 18 at most, without a sign.
    ///
    /// @throws HttpError with 404 for anything else: there is no such thing
    /// @throws IllegalArgumentException when the pattern has no parameter of this name
    public long number(String name) {
        var text = text(name);
        boolean isNumber =
                !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber) throw new HttpError(404, "the path parameter " + name + " is no number");
        return Long.parseLong(text);
    }

    /// Names and values, for a log.
    @Override
    public String toString() {
        return names + " " + values;
    }
}
