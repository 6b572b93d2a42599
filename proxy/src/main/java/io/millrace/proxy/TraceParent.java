package io.millrace.proxy;

import io.millrace.http.Request;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/// The field `traceparent` (W3C Trace Context, section 3.2), which names the trace that a request is part
/// of. Immutable.
///
/// ```
///   00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
///   version  trace                      parent         flags
/// ```
public final class TraceParent {
    public static final String FIELD = "traceparent";

    /// No trace.
    public static final TraceParent NONE = new TraceParent("", false);

    /// An invalid field, or one that is not forwarded.
    public static final TraceParent INVALID = new TraceParent("", false);

    private static final int LENGTH = 55;
    private static final int TRACE = 3;
    private static final int PARENT = 36;
    private static final int FLAGS = 53;

    private final String text;
    private final boolean isReceived;

    private TraceParent(String text, boolean isReceived) {
        this.text = text;
        this.isReceived = isReceived;
    }

    /// The request's trace; not present if the field is missing, repeated or invalid.
    public static TraceParent of(Request request) {
        var value = request.header(FIELD);
        if (value.isEmpty()) return NONE;
        if (!isValid(value.get())) return INVALID;
        boolean isOne = request.headers().all(FIELD).size() == 1;
        return isOne ? new TraceParent(value.get(), true) : INVALID;
    }

    /// A new trace, with the flag that asks the next service to record it.
    public static TraceParent made(RandomGenerator random) {
        var hex = HexFormat.of();
        // All zeros are invalid: one set bit is enough.
        var trace = hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong() | 1);
        var parent = hex.toHexDigits(random.nextLong() | 1);
        return new TraceParent("00-" + trace + "-" + parent + "-01", false);
    }

    /// Later versions may be longer, after another dash; the known part is the same.
    static boolean isValid(String text) {
        if (text.length() < LENGTH || text.startsWith("ff")) return false;
        boolean isKnown = text.startsWith("00");
        if (text.length() > LENGTH && (isKnown || text.charAt(LENGTH) != '-')) return false;
        boolean hasDashes =
                text.charAt(TRACE - 1) == '-' && text.charAt(PARENT - 1) == '-' && text.charAt(FLAGS - 1) == '-';
        return hasDashes
                && isHex(text, 0, TRACE - 1)
                && isHex(text, TRACE, PARENT - 1)
                && isHex(text, PARENT, FLAGS - 1)
                && isHex(text, FLAGS, LENGTH)
                && isSet(text, TRACE, PARENT - 1)
                && isSet(text, PARENT, FLAGS - 1);
    }

    /// Hexadecimal digits, in lower case only.
    private static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return false;
        }
        return true;
    }

    private static boolean isSet(String text, int from, int to) {
        for (int i = from; i < to; i++) if (text.charAt(i) != '0') return true;
        return false;
    }

    public boolean isPresent() {
        return !text.isEmpty();
    }

    /// Whether the trace begins here.
    public boolean isMade() {
        return isPresent() && !isReceived;
    }

    /// Whether the request's field must not be forwarded.
    @SuppressWarnings("ReferenceEquality") // compares identity
    public boolean isToReplace() {
        return isMade() || this == INVALID;
    }

    /// The value of the field.
    public String text() {
        return text;
    }

    /// The 32 digits of the trace; empty if there is none.
    public String trace() {
        return text.isEmpty() ? "" : text.substring(TRACE, PARENT - 1);
    }
}
