package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Authority;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.Target;
import io.millrace.http.grammar.TransferCodings;
import io.millrace.http.message.TargetForms;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The head of a request: its line (RFC 9112 section 3), its fields, and what they say of body and connection.
///
/// ```
///   START ──CRLF (a few)──► LINE ── request line ──► FIELDS ── empty line ──► checked, complete
/// ```
/// Reused for each request of its connection.
final class RequestHead extends MessageHead implements Supplier<String> {
    private static final int MOST_EMPTY_LINES = 4;
    private static final int NONE = -1;

    /// The common methods, whose text is shared.
    private static final String[] METHODS = {"GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"};

    private int method;
    private int methodLength;
    private int target;
    private int targetLength;
    private int host;
    private boolean expectsContinue;
    /// Made on demand.
    private @Nullable String methodText;

    private @Nullable Target asked;

    RequestHead(HttpLimits limits) {
        super(limits);
        reset();
    }

    @Override
    public void reset() {
        super.reset();
        contentLength = 0;
        host = NONE;
        expectsContinue = false;
        methodText = null;
        asked = null;
    }

    /// A copy with bytes of its own.
    RequestHead copy() {
        var copy = new RequestHead(limits);
        copy.copyFrom(this);
        copy.method = method;
        copy.methodLength = methodLength;
        copy.target = target;
        copy.targetLength = targetLength;
        copy.isOld = isOld;
        copy.host = host;
        copy.contentLength = contentLength;
        return copy;
    }

    // The request line.

    @Override
    int parseFirstLine(int to) throws Refusal {
        int line = start + skipEmptyLines(to);
        int end = Math.min(to, line + limits.requestLineBytes() + 2);
        int at = method(line, end);
        if (at == INCOMPLETE) return incomplete(line, to);
        methodLength = at - line;
        int begin = at + 1;
        at = begin;
        while (at < end && bytes[at] > ' ' && bytes[at] != 0x7f) at++;
        if (at == end) return incomplete(line, to);
        if (bytes[at] != ' ') throw new Refusal(400, "no version after the request target");
        if (at == begin) throw new Refusal(400, "no request target");
        target = begin - start;
        targetLength = at - begin;
        int fields = version(at + 1, end);
        if (fields == INCOMPLETE) return incomplete(line, to);
        method = line - start;
        return fields;
    }

    /// Skips empty lines, a few at most.
    private int skipEmptyLines(int to) throws Refusal {
        int skipped = 0;
        while (start + skipped < to && bytes[start + skipped] == '\r') {
            if (start + skipped + 1 == to) break;
            if (bytes[start + skipped + 1] != '\n') throw new Refusal(400, "a carriage return without a line feed");
            skipped += 2;
            if (skipped > 2 * MOST_EMPTY_LINES) throw new Refusal(400, "too many empty lines before a request");
        }
        return skipped;
    }

    private int method(int line, int end) throws Refusal {
        int at = line;
        while (at < end && Syntax.isToken(bytes[at])) at++;
        if (at - line > Syntax.MOST_METHOD) throw new Refusal(400, "a method of more than 32 characters");
        if (at == end) return INCOMPLETE;
        boolean isStillEmpty = at == line && bytes[at] == '\r' && at + 1 == end;
        if (isStillEmpty) return INCOMPLETE;
        if (at == line || bytes[at] != ' ') throw new Refusal(400, "not a request line");
        return at;
    }

    /// @return where the fields begin
    private int version(int at, int end) throws Refusal {
        for (int i = 0; i < VERSION.length; i++) {
            if (at + i == end) return INCOMPLETE;
            // Other major versions look the same.
            boolean isMajor = i == 5 && bytes[at + i] >= '0' && bytes[at + i] <= '9';
            if (bytes[at + i] != VERSION[i] && !isMajor) throw new Refusal(400, "no HTTP version");
        }
        int minor = at + VERSION.length;
        if (minor + 2 >= end) return INCOMPLETE;
        if (bytes[minor] < '0' || bytes[minor] > '9') throw new Refusal(400, "no HTTP version");
        if (bytes[minor + 1] != '\r' || bytes[minor + 2] != '\n') throw new Refusal(400, "no end of the request line");
        boolean isKnown = bytes[at + 5] == '1' && bytes[minor] <= '1';
        if (!isKnown) throw new Refusal(505, "an HTTP version other than 1.0 and 1.1");
        isOld = bytes[minor] == '0';
        return minor + 3;
    }

    private int incomplete(int line, int to) throws Refusal {
        if (to - line >= limits.requestLineBytes() + 2) {
            throw new Refusal(414, "a request line of more than " + limits.requestLineBytes(), HttpGuards.REQUEST_LINE);
        }
        return INCOMPLETE;
    }

    // Fields that decide how to go on.

    @Override
    void noted(int line) throws Refusal {
        switch (nameLength(line)) {
            case 4 -> {
                if (isNamed(line, "host")) host(line);
            }
            case 6 -> {
                if (isNamed(line, "expect")) expect(line);
            }
            default -> super.noted(line);
        }
    }

    private void host(int line) throws Refusal {
        if (host != NONE) throw new Refusal(400, "two Host fields");
        host = line;
        Authority.check(bytes, value(line), valueLength(line));
    }

    private void expect(int line) throws Refusal {
        if (isOld) return;
        if (!isValue(line, "100-continue")) {
            throw new Refusal(417, "an expectation other than 100-continue");
        }
        expectsContinue = true;
    }

    @Override
    void connection(int line) throws Refusal {
        int at = value(line);
        int end = at + valueLength(line);
        while (at < end) {
            int option = at;
            while (at < end && Syntax.isToken(bytes[at])) at++;
            connectionOption(option, at - option);
            while (at < end && isBlank(bytes[at])) at++;
            if (at < end && bytes[at] != ',') throw new Refusal(400, "a Connection field that is not a list of names");
            do at++;
            while (at < end && isBlank(bytes[at]));
        }
    }

    @Override
    void transferEncoding(int line) throws Refusal {
        if (isChunked) throw new Refusal(400, "two Transfer-Encoding fields");
        isChunked = true;
        if (isOld) throw new Refusal(400, "Transfer-Encoding in HTTP/1.0");
        if (isValue(line, "chunked")) return;
        boolean isKnown = TransferCodings.areKnown(valueText(line));
        throw new Refusal(isKnown ? 501 : 400, "a Transfer-Encoding other than chunked");
    }

    @Override
    void check() throws Refusal {
        super.check();
        if (host == NONE && !isOld) throw new Refusal(400, "no Host field");
    }

    // What was found.

    String method() {
        var known = methodText;
        if (known == null) methodText = known = findMethod();
        return known;
    }

    private String findMethod() {
        for (var known : METHODS) if (isMethod(known)) return known;
        return Syntax.latin1(bytes, start + method, methodLength);
    }

    boolean isMethod(String name) {
        if (methodLength != name.length()) return false;
        for (int i = 0; i < methodLength; i++) {
            if (bytes[start + method + i] != name.charAt(i)) return false;
        }
        return true;
    }

    /// The requested target.
    ///
    /// @throws Refusal for an invalid target
    Target asked() throws Refusal {
        var known = asked;
        if (known == null) asked = known = findTarget();
        return known;
    }

    /// Section 3.2.
    private Target findTarget() throws Refusal {
        int from = start + target;
        int end = from + targetLength;
        if (isMethod("CONNECT")) return connect(from, end);
        if (bytes[from] == '/') return Target.origin(bytes, from, end, TargetForms.bits(limits, this));
        boolean isServer = bytes[from] == '*' && end == from + 1;
        if (!isServer) {
            var found = Target.absolute(bytes, from, end, authority -> TargetForms.bits(limits, () -> authority));
            checkHost(found.authority(), Target.scheme(bytes, from, end));
            boolean isOfServer = isMethod("OPTIONS")
                    && !Target.hasPath(bytes, from, end)
                    && found.query().isEmpty();
            // Section 3.2.4: the last proxy turns the empty path of OPTIONS into *.
            return isOfServer ? Target.server(found.authority()) : found;
        }
        if (!isMethod("OPTIONS")) throw new Refusal(400, "the target * is for OPTIONS only");
        return Target.server("");
    }

    private Target connect(int from, int end) throws Refusal {
        var found = Target.authority(bytes, from, end);
        if (hasBody()) throw new Refusal(400, "CONNECT with a body");
        checkHost(found.authority(), "https");
        return found;
    }

    private void checkHost(String authority, String scheme) throws Refusal {
        if (host == NONE) return;
        if (!Authority.normalised(valueText(host), scheme).equals(Authority.normalised(authority, scheme))) {
            throw new Refusal(400, "a target whose host differs from the Host field");
        }
    }

    /// The value of the Host field, or nothing.
    @Override
    public String get() {
        return host == NONE ? "" : valueText(host);
    }

    /// Whether it is HTTP/1.0.
    boolean isOld() {
        return isOld;
    }

    boolean hasBody() {
        return contentLength != 0;
    }

    boolean expectsContinue() {
        return expectsContinue;
    }
}
