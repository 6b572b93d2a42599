package io.millrace.http.grammar;

import java.util.function.ToIntFunction;

/// A request's target (RFC 9112 section 3.2), with one canonical path for routing and forwarding (RFC 3986
/// section 6.2): escapes of unreserved characters decoded and others in capitals, no dot segments, no empty
/// segments. An escaped slash, backslash or control character is refused, and so is a path above the root.
/// The bits of a form accept more.
///
/// @param authority host and port of an absolute target; otherwise empty
/// @param path canonical; `*` for the server as a whole, the authority for CONNECT
/// @param query without its question mark, or empty
/// @param sent the path to pass on: the canonical one, or as it came if its form is accepted
public record Target(String authority, String path, String query, String sent) {
    /// Only the canonical form.
    public static final int STRICT = 0;

    /// `%2F` in a path is a character, not a separator.
    public static final int ESCAPED_SLASHES = 1;

    /// Repeated slashes stay as they are.
    public static final int EMPTY_SEGMENTS = 2;

    /// `[ ] | ^` in a path are escaped, and a bare `%` in a query stays.
    public static final int UNESCAPED = 4;

    private static final Target SERVER = of("", "*", "");

    /// The target of a request that a program builds.
    ///
    /// @param text a path with an optional query, a URI, or `*`
    /// @throws IllegalArgumentException for a target that must not be sent
    public static Target parse(String text) {
        if (text.equals("*")) return SERVER;
        var bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        try {
            if (text.startsWith("/")) return origin("", bytes, 0, bytes.length, STRICT);
            return absolute(bytes, 0, bytes.length, _ -> STRICT);
        } catch (Refusal e) {
            throw new IllegalArgumentException("'" + text + "' is not a request target (" + e.getMessage()
                    + "): begin with / or http://, and escape what must be escaped");
        }
    }

    private static Target of(String authority, String path, String query) {
        return new Target(authority, path, query, path);
    }

    /// A path with an optional query (section 3.2.1).
    ///
    /// @param form bits of the forms accepted besides the canonical one
    public static Target origin(byte[] bytes, int from, int end, int form) throws Refusal {
        return origin("", bytes, from, end, form);
    }

    /// The server as a whole (section 3.2.4).
    public static Target server(String authority) {
        return authority.isEmpty() ? SERVER : of(authority, "*", "");
    }

    /// Host and port (section 3.2.3), for proxies.
    public static Target authority(byte[] bytes, int from, int end) throws Refusal {
        Authority.check(bytes, from, end - from);
        boolean hasPort = bytes[end - 1] >= '0' && bytes[end - 1] <= '9' && indexOf(bytes, from, end, ':') >= 0;
        if (!hasPort) throw new Refusal(400, "CONNECT without a port");
        var authority = Syntax.latin1(bytes, from, end - from);
        return of(authority, authority, "");
    }

    /// A URI (section 3.2.2).
    ///
    /// @param forms the bits of the forms accepted besides the canonical one, by host and port
    public static Target absolute(byte[] bytes, int from, int end, ToIntFunction<String> forms) throws Refusal {
        int begin = from + scheme(bytes, from, end).length() + 3;
        int path = begin;
        while (path < end && bytes[path] != '/' && bytes[path] != '?') path++;
        Authority.check(bytes, begin, path - begin);
        var authority = Syntax.latin1(bytes, begin, path - begin);
        int form = forms.applyAsInt(authority);
        boolean hasPath = path < end && bytes[path] == '/';
        return hasPath
                ? origin(authority, bytes, path, end, form)
                : of(authority, "/", path == end ? "" : query(bytes, path, end, form));
    }

    /// Whether a URI has a path or a query after its host.
    public static boolean hasPath(byte[] bytes, int from, int end) throws Refusal {
        int begin = from + scheme(bytes, from, end).length() + 3;
        return indexOf(bytes, begin, end, '/') >= 0 || indexOf(bytes, begin, end, '?') >= 0;
    }

    /// The scheme of a URI, in small letters.
    public static String scheme(byte[] bytes, int from, int end) throws Refusal {
        for (var scheme : new String[] {"http", "https"}) {
            int length = scheme.length() + 3;
            if (end - from >= length && Syntax.isWord(bytes, from, length, scheme + "://")) return scheme;
        }
        throw new Refusal(400, "a request target of an unknown form");
    }

    private static Target origin(String authority, byte[] bytes, int from, int end, int form) throws Refusal {
        boolean isPlain = true;
        int at = from;
        for (byte before = 0; at < end && bytes[at] != '?'; at++) {
            byte b = bytes[at];
            boolean isTaken = Syntax.isPath(b) || (takes(form, UNESCAPED) && isOftenUnescaped(b));
            if (!isTaken) throw new Refusal(400, "a path with a character that must be escaped");
            isPlain &= Syntax.isPath(b) && b != '%' && (before != '/' || (b != '/' && b != '.'));
            before = b;
        }
        var raw = TextCache.of(bytes, from, at - from);
        var path = isPlain ? raw : CanonicalPath.of(raw, form);
        var query = at == end ? "" : query(bytes, at, end, form);
        boolean isAsItCame = form != STRICT && (takes(form, EMPTY_SEGMENTS) || !raw.contains("//"));
        return new Target(authority, path, query, isAsItCame ? raw : path);
    }

    /// Characters that some browsers and libraries send unescaped.
    static boolean isOftenUnescaped(byte b) {
        return b == '[' || b == ']' || b == '|' || b == '^';
    }

    private static String query(byte[] bytes, int mark, int end, int form) throws Refusal {
        for (int at = mark + 1; at < end; at++) {
            if (!Syntax.isQuery(bytes[at])) throw new Refusal(400, "a query with a character that must be escaped");
            if (bytes[at] == '%' && !takes(form, UNESCAPED)) escape(bytes, at, end);
        }
        return Syntax.latin1(bytes, mark + 1, end - mark - 1);
    }

    static int escape(byte[] bytes, int at, int end) throws Refusal {
        boolean isEscape = at + 2 < end && Syntax.isHex(bytes[at + 1]) && Syntax.isHex(bytes[at + 2]);
        if (!isEscape) throw new Refusal(400, "a percent sign without an escape");
        return Syntax.hex(bytes[at + 1], bytes[at + 2]);
    }

    static boolean takes(int form, int bit) {
        return (form & bit) != 0;
    }

    private static int indexOf(byte[] bytes, int from, int end, char wanted) {
        for (int at = from; at < end; at++) if (bytes[at] == wanted) return at;
        return -1;
    }
}
