package io.millrace.http.h1;

import io.millrace.http.PathForm;
import io.millrace.http.PathForms;
import java.util.Locale;

/// What a request is for (RFC 9112 section 3.2), with one canonical path for routing and forwarding (RFC 3986
/// section 6.2): escapes of unreserved characters decoded and others in capitals, no dot segments, no empty
/// segments. An escaped slash, backslash or control character is refused, and so is a path above the root. A
/// [PathForm] says what else is taken.
///
/// @param authority host and port, of an absolute target; otherwise empty
/// @param path canonical; `*` for the server as a whole, the authority for CONNECT
/// @param query without its question mark, or empty
/// @param sent the path as it is passed on: the canonical one, or as it came where its form is taken
public record Target(String authority, String path, String query, String sent) {
    private static final Target SERVER = of("", "*", "");

    /// That of a request made here.
    ///
    /// @param text a path with an optional query, an URI, or `*`
    /// @throws IllegalArgumentException for one that may not be sent
    public static Target parse(String text) {
        if (text.equals("*")) return SERVER;
        var bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        try {
            if (text.startsWith("/")) return origin("", bytes, 0, bytes.length, PathForm.STRICT);
            return absolute(bytes, 0, bytes.length, PathForms.STRICT);
        } catch (Refusal e) {
            throw new IllegalArgumentException("'" + text + "' is no request target (" + e.getMessage()
                    + "): begin with / or http://, and escape what must be escaped");
        }
    }

    private static Target of(String authority, String path, String query) {
        return new Target(authority, path, query, path);
    }

    /// @throws Refusal for a target that is none, or that does not go with its method or the Host field
    static Target of(RequestHead head) throws Refusal {
        var bytes = head.bytes;
        int from = head.target();
        int end = from + head.targetLength();
        if (head.isMethod("CONNECT")) return connect(head, bytes, from, end);
        var forms = head.limits.paths();
        if (bytes[from] == '/') return origin("", bytes, from, end, forms.of(head));
        boolean isServer = bytes[from] == '*' && end == from + 1;
        if (!isServer) {
            var target = absolute(bytes, from, end, forms);
            checkHost(head, target.authority, scheme(bytes, from, end));
            boolean isOfServer = head.isMethod("OPTIONS") && !hasPath(bytes, from, end) && target.query.isEmpty();
            // Section 3.2.4: the last one who could say so in another form has said so in this one.
            return isOfServer ? of(target.authority, "*", "") : target;
        }
        if (!head.isMethod("OPTIONS")) throw new Refusal(400, "the target * is for OPTIONS alone");
        return SERVER;
    }

    /// Host and port (section 3.2.3), for those that are proxies.
    private static Target connect(RequestHead head, byte[] bytes, int from, int end) throws Refusal {
        Authority.check(bytes, from, end - from);
        boolean hasPort = bytes[end - 1] >= '0' && bytes[end - 1] <= '9' && indexOf(bytes, from, end, ':') >= 0;
        if (!hasPort) throw new Refusal(400, "CONNECT without a port");
        if (!head.isConnectTaken()) throw new Refusal(501, "CONNECT to a server that is no proxy");
        if (head.hasBody()) throw new Refusal(400, "CONNECT with a body");
        var authority = Syntax.latin1(bytes, from, end - from);
        checkHost(head, authority, "https");
        return of(authority, authority, "");
    }

    private static Target absolute(byte[] bytes, int from, int end, PathForms forms) throws Refusal {
        int begin = from + scheme(bytes, from, end).length() + 3;
        int path = begin;
        while (path < end && bytes[path] != '/' && bytes[path] != '?') path++;
        Authority.check(bytes, begin, path - begin);
        var authority = Syntax.latin1(bytes, begin, path - begin);
        var form = forms.of(() -> authority);
        boolean hasPath = path < end && bytes[path] == '/';
        return hasPath
                ? origin(authority, bytes, path, end, form)
                : of(authority, "/", path == end ? "" : query(bytes, path, end, form));
    }

    private static boolean hasPath(byte[] bytes, int from, int end) throws Refusal {
        int begin = from + scheme(bytes, from, end).length() + 3;
        return indexOf(bytes, begin, end, '/') >= 0 || indexOf(bytes, begin, end, '?') >= 0;
    }

    private static String scheme(byte[] bytes, int from, int end) throws Refusal {
        for (var scheme : new String[] {"http", "https"}) {
            int length = scheme.length() + 3;
            if (end - from >= length && Syntax.isWord(bytes, from, length, scheme + "://")) return scheme;
        }
        throw new Refusal(400, "a request target of no form that there is");
    }

    private static void checkHost(RequestHead head, String authority, String scheme) throws Refusal {
        if (head.host() < 0) return;
        var host = head.valueText(head.host());
        if (!Authority.normalised(host, scheme).equals(Authority.normalised(authority, scheme))) {
            throw new Refusal(400, "a target with another host than the Host field");
        }
    }

    private static Target origin(String authority, byte[] bytes, int from, int end, PathForm form) throws Refusal {
        boolean isPlain = true;
        int at = from;
        for (byte before = 0; at < end && bytes[at] != '?'; at++) {
            byte b = bytes[at];
            boolean isTaken = Syntax.isPath(b) || (form.unescaped() && isOftenUnescaped(b));
            if (!isTaken) throw new Refusal(400, "a path with a character that must be escaped");
            isPlain &= Syntax.isPath(b) && b != '%' && (before != '/' || (b != '/' && b != '.'));
            before = b;
        }
        var raw = Texts.of(bytes, from, at - from);
        var path = isPlain ? raw : canonical(raw, form);
        var query = at == end ? "" : query(bytes, at, end, form);
        boolean isAsItCame = !form.equals(PathForm.STRICT) && (form.emptySegments() || !raw.contains("//"));
        return new Target(authority, path, query, isAsItCame ? raw : path);
    }

    /// As some browsers and libraries send them.
    private static boolean isOftenUnescaped(byte b) {
        return b == '[' || b == ']' || b == '|' || b == '^';
    }

    private static String query(byte[] bytes, int mark, int end, PathForm form) throws Refusal {
        for (int at = mark + 1; at < end; at++) {
            if (!Syntax.isQuery(bytes[at])) throw new Refusal(400, "a query with a character that must be escaped");
            if (bytes[at] == '%' && !form.unescaped()) escape(bytes, at, end);
        }
        return Syntax.latin1(bytes, mark + 1, end - mark - 1);
    }

    private static int escape(byte[] bytes, int at, int end) throws Refusal {
        boolean isEscape = at + 2 < end && Syntax.isHex(bytes[at + 1]) && Syntax.isHex(bytes[at + 2]);
        if (!isEscape) throw new Refusal(400, "a percent sign that begins no escape");
        return Syntax.hex(bytes[at + 1], bytes[at + 2]);
    }

    private static String canonical(String raw, PathForm form) throws Refusal {
        boolean mayLeadUp = form.equals(PathForm.STRICT);
        var segments = new java.util.ArrayList<String>();
        var parts = decoded(raw, form).substring(1).split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean isLast = i == parts.length - 1;
            switch (parts[i]) {
                case "" -> {
                    if (form.emptySegments() && !isLast) segments.add("");
                }
                case "." -> {}
                case ".." -> {
                    if (!mayLeadUp) throw new Refusal(400, "dot segments, where a path is passed on as it came");
                    if (segments.isEmpty()) throw new Refusal(400, "a path above the root");
                    segments.removeLast();
                }
                default -> {
                    segments.add(parts[i]);
                    if (isLast) return "/" + String.join("/", segments);
                }
            }
        }
        return segments.isEmpty() ? "/" : "/" + String.join("/", segments) + "/";
    }

    private static String decoded(String raw, PathForm form) throws Refusal {
        var bytes = Syntax.latin1(raw);
        var text = new StringBuilder(raw.length());
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] != '%') {
                boolean isToEscape = isOftenUnescaped(bytes[at]);
                text.append(isToEscape ? String.format(Locale.ROOT, "%%%02X", bytes[at]) : (char) bytes[at] + "");
                continue;
            }
            int value = escape(bytes, at, bytes.length);
            boolean isSlash = value == '/' && !form.escapedSlashes();
            if (isSlash || value == '\\' || value < 0x20 || value == 0x7f) {
                throw new Refusal(400, "an escaped slash, backslash or control character in a path");
            }
            if (Syntax.isUnreserved(value)) text.append((char) value);
            else text.append(raw.substring(at, at + 3).toUpperCase(Locale.ROOT));
            at += 2;
        }
        return text.toString();
    }

    private static int indexOf(byte[] bytes, int from, int end, char wanted) {
        for (int at = from; at < end; at++) if (bytes[at] == wanted) return at;
        return -1;
    }
}
