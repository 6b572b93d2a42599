package io.millrace.http.grammar;

import java.util.List;

/// The requested part of a file (RFC 9110 section 14).
///
/// Only a single range of bytes is answered with a part. Several ranges, other units, and malformed ranges
/// get the whole file, as section 14.2 allows: so neither the work nor the response grows with the request. A
/// peer that asks for the same gigabyte a thousand times in one line gets it once.
public sealed interface ByteRange {
    /// The whole file.
    record Whole() implements ByteRange {}

    /// A part; both in bytes, the length at least 1.
    record Part(long from, long length) implements ByteRange {
        /// The value of `Content-Range`.
        public String of(long size) {
            return "bytes " + from + '-' + (from + length - 1) + '/' + size;
        }
    }

    /// The range is beyond the end.
    record Unsatisfiable() implements ByteRange {}

    /// The range of a request.
    ///
    /// @param fields the values of `Range`
    /// @param size of the file, in bytes
    public static ByteRange of(List<String> fields, long size) {
        if (fields.size() != 1) return new Whole();
        var field = fields.getFirst();
        int dash = field.indexOf('-');
        if (!field.regionMatches(true, 0, "bytes=", 0, 6) || dash < 0) return new Whole();
        var first = field.substring(6, dash);
        var last = field.substring(dash + 1);
        if (!isDigits(first) || !isDigits(last)) return new Whole();
        if (!first.isEmpty()) return between(number(first), last.isEmpty() ? Long.MAX_VALUE : number(last), size);
        return last.isEmpty() ? new Whole() : suffix(number(last), size);
    }

    private static ByteRange between(long first, long last, long size) {
        if (last < first) return new Whole();
        if (first >= size) return new Unsatisfiable();
        return new Part(first, Math.min(last, size - 1) - first + 1);
    }

    private static ByteRange suffix(long length, long size) {
        if (length == 0) return new Unsatisfiable();
        // An empty file has no last byte, and Content-Range cannot express that.
        if (size == 0) return new Whole();
        long part = Math.min(length, size);
        return new Part(size - part, part);
    }

    private static boolean isDigits(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /// A number of any length; one that is too large becomes the largest.
    private static long number(String digits) {
        long number = 0;
        for (int i = 0; i < digits.length(); i++) {
            if (number > Long.MAX_VALUE / 10 - 1) return Long.MAX_VALUE;
            number = number * 10 + digits.charAt(i) - '0';
        }
        return number;
    }
}
