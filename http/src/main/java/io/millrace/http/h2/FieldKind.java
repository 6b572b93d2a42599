package io.millrace.http.h2;

import io.millrace.http.grammar.Syntax;

/// What a field means to HTTP/2 itself, and whether it may be there at all (RFC 9113 sections 8.2 and 8.3).
enum FieldKind {
    METHOD,
    SCHEME,
    AUTHORITY,
    PATH,
    STATUS,
    PROTOCOL,
    HOST,
    COOKIE,
    CONTENT_LENGTH,
    /// With the value `trailers`, the only one that is allowed.
    TE,
    EXPECT,
    PRIORITY,
    /// About a connection of HTTP/1.1, which has no place in HTTP/2.
    CONNECTION,
    OTHER,
    /// An unknown pseudo-field, a name that is no token in small letters, a value with a control character or with a
    /// blank at one of its ends, or a `te` that asks for something else than trailers.
    INVALID;

    private static final String TRAILERS = "trailers";

    static FieldKind of(String name, String value) {
        return Syntax.isFieldValue(value) ? ofValid(name, value) : INVALID;
    }

    /// The kind of a field with the name of another, whose name has been judged already.
    static FieldKind of(HpackField named, String value) {
        var kind = named.kind;
        // These two may be due to the other's value.
        if (kind == INVALID || kind == TE) return of(named.name, value);
        return Syntax.isFieldValue(value) ? kind : INVALID;
    }

    private static FieldKind ofValid(String name, String value) {
        return switch (name) {
            case ":method" -> METHOD;
            case ":scheme" -> SCHEME;
            case ":authority" -> AUTHORITY;
            case ":path" -> PATH;
            case ":status" -> STATUS;
            case ":protocol" -> PROTOCOL;
            case "host" -> HOST;
            case "cookie" -> COOKIE;
            case "content-length" -> CONTENT_LENGTH;
            case "te" -> value.equals(TRAILERS) ? TE : INVALID;
            case "expect" -> EXPECT;
            case "priority" -> PRIORITY;
            case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade" -> CONNECTION;
            default -> isName(name) ? OTHER : INVALID;
        };
    }

    /// Whether it is a token without capital letters; a pseudo-field is none.
    private static boolean isName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c > 0x7f || !Syntax.isToken((byte) c) || (c >= 'A' && c <= 'Z')) return false;
        }
        return !name.isEmpty();
    }
}
