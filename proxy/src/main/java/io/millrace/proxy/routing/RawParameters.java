package io.millrace.proxy.routing;

import io.millrace.http.grammar.PathPattern;
import java.util.HashMap;
import java.util.Map;

/// What stands in a path where a pattern has parameters, as it arrived: escapes stay, so that what is made of it is
/// canonical, too.
record RawParameters(PathPattern pattern) {
    /// By names.
    ///
    /// @param path one that the pattern is for
    Map<String, String> of(String path) {
        var values = new HashMap<String, String>();
        int at = 1;
        int next = 0;
        for (var segment : pattern.segments()) {
            int end = PathPattern.endOfSegment(path, at);
            if (segment.equals(PathPattern.PARAMETER))
                values.put(pattern.names().get(next++), path.substring(at, end));
            at = end + 1;
        }
        if (pattern.end() == PathPattern.End.REST) values.put(pattern.names().get(next), path.substring(at));
        return values;
    }
}
