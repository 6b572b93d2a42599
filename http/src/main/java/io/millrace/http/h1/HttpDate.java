package io.millrace.http.h1;

import io.millrace.http.grammar.DateField;
import io.millrace.http.grammar.Syntax;

/// The `Date` line (RFC 9110 section 5.6.7 and 6.6.1), made once a second.
final class HttpDate {
    @SuppressWarnings("ArrayRecordComponent") // it never leaves this file, and never changes
    private record Line(long second, byte[] bytes) {}

    private static volatile Line last = made(0);

    private HttpDate() {}

    /// With its line end.
    ///
    /// @param millis since the Unix epoch
    static byte[] line(long millis) {
        long second = millis / 1000;
        var known = last;
        if (known.second != second) last = known = made(second);
        return known.bytes;
    }

    private static Line made(long second) {
        return new Line(second, Syntax.latin1("Date: " + DateField.text(second) + "\r\n"));
    }
}
