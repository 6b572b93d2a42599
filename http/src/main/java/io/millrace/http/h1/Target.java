package io.millrace.http.h1;

import java.util.Locale;

/// What a request is for (RFC 9112 section 3.2), with one canonical path for routing and forwarding (RFC 3986
/// section 6.2): escapes of unreserved characters decoded and others in capitals, no dot segments, no empty
/// segments. An escaped slash, backslash or control character is refused, and so is a path above the root.
///
/// @param authority host and port, of an absolute target; otherwise empty
/// @param path canonical; `*` for the server as a whole, the authority for CONNECT
/// @param query without its question mark, or empty
public record Target(String authority, String path, String query) {
    private static final Target SERVER = new Target("", "*", "");

    /// That of a request made here.
    ///
    /// @param text a path with an optional query, an URI, or `*`
    /// @throws IllegalArgumentException for one that may not be sent
    public static Target parse(String text) {
        if (text.equals("*")) return SERVER;
        var bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        try {
            if (text.startsWith("/")) return origin("", bytes, 0, bytes.length);
            return absolute(bytes, 0, bytes.length);
        } catch (Refusal e) {
            throw new IllegalArgumentException("'" + text + "' is no request target (" + e.getMessage()
                    + "): begin with / or http://, and escape what must be escaped");
        }
    }

    /// @throws Refusal for a target that is none, or that does not go with its method or the Host field
    static Target of(RequestHead head) throws Refusal {
        var bytes = head.bytes;
        int from = head.target();
        int end = from + head.targetLength();
        if (head.isMethod("CONNECT")) return connect(head, bytes, from, end);
        if (bytes[from] == '/') return origin("", bytes, from, end);
        boolean isServer = bytes[from] == '*' && end == from + 1;
        if (!isServer) {
            var target = absolute(bytes, from, end);
            checkHost(head, target.authority, scheme(bytes, from, end));
            boolean isOfServer = head.isMethod("OPTIONS") && !hasPath(bytes, from, end) && target.query.isEmpty();
            // Section 3.2.4: the last one who could say so in another form has said so in this one.
            return isOfServer ? new Target(target.authority, "*", "") : target;
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
        return new Target(authority, authority, "");
    }

    private static Target absolute(byte[] bytes, int from, int end) throws Refusal {
        int begin = from + scheme(bytes, from, end).length() + 3;
        int path = begin;
        while (path < end && bytes[path] != '/' && bytes[path] != '?') path++;
        Authority.check(bytes, begin, path - begin);
        var authority = Syntax.latin1(bytes, begin, path - begin);
        boolean hasPath = path < end && bytes[path] == '/';
        return hasPath
                ? origin(authority, bytes, path, end)
                : new Target(authority, "/", path == end ? "" : query(bytes, path, end));
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

    private static Target origin(String authority, byte[] bytes, int from, int end) throws Refusal {
        boolean isPlain = true;
        int at = from;
        for (byte before = 0; at < end && bytes[at] != '?'; at++) {
            byte b = bytes[at];
            if (!Syntax.isPath(b)) throw new Refusal(400, "a path with a character that must be escaped");
            isPlain &= b != '%' && (before != '/' || (b != '/' && b != '.'));
            before = b;
        }
        var raw = Texts.of(bytes, from, at - from);
        var path = isPlain ? raw : canonical(raw);
        return new Target(authority, path, at == end ? "" : query(bytes, at, end));
    }

    private static String query(byte[] bytes, int mark, int end) throws Refusal {
        for (int at = mark + 1; at < end; at++) {
            if (!Syntax.isQuery(bytes[at])) throw new Refusal(400, "a query with a character that must be escaped");
            if (bytes[at] == '%') escape(bytes, at, end);
        }
        return Syntax.latin1(bytes, mark + 1, end - mark - 1);
    }

    private static int escape(byte[] bytes, int at, int end) throws Refusal {
        boolean isEscape = at + 2 < end && Syntax.isHex(bytes[at + 1]) && Syntax.isHex(bytes[at + 2]);
        if (!isEscape) throw new Refusal(400, "a percent sign that begins no escape");
        return Syntax.hex(bytes[at + 1], bytes[at + 2]);
    }

    private static String canonical(String raw) throws Refusal {
        var segments = new java.util.ArrayList<String>();
        var parts = decoded(raw).substring(1).split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean isLast = i == parts.length - 1;
            switch (parts[i]) {
                case "" -> {}
                case "." -> {}
                case ".." -> {
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

    private static String decoded(String raw) throws Refusal {
        var bytes = Syntax.latin1(raw);
        var text = new StringBuilder(raw.length());
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] != '%') {
                text.append((char) bytes[at]);
                continue;
            }
            int value = escape(bytes, at, bytes.length);
            if (value == '/' || value == '\\' || value < 0x20 || value == 0x7f) {
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
