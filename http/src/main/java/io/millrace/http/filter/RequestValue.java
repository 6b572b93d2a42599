package io.millrace.http.filter;

import io.millrace.http.Request;
import io.millrace.http.grammar.Authority;
import io.millrace.net.Security;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a [RequestTemplate] takes from a request. A value that a request does not have is empty.
enum RequestValue {
    /// The client's address without its port, after [RealIp]; empty for a Unix socket.
    CLIENT,
    /// The port of the client's connection; empty if a proxy names the client.
    CLIENT_PORT,
    /// The requested host without its port, an address of IPv6 in brackets; empty if it is no name in DNS and no
    /// address.
    HOST,
    /// The requested port, or that of the scheme.
    PORT,
    /// `http` or `https`.
    SCHEME,
    METHOD,
    /// The canonical path.
    PATH,
    /// The query with its question mark, or nothing.
    QUERY,
    /// As [RequestIds] names it.
    REQUEST_ID,
    /// The host that the client's TLS asked for.
    TLS_NAME,
    /// The subject of the certificate that the client presented (RFC 4514).
    TLS_SUBJECT,
    /// All lines of a field, joined.
    HEADER;

    private static final int MOST_HOST = 255;

    /// As it is written in braces; a field's name follows `header:`.
    String word() {
        var word = name().toLowerCase(Locale.ROOT).replace('_', '-');
        return this == HEADER ? word + ":" : word;
    }

    /// All words, for messages.
    static List<String> words() {
        return Arrays.stream(values())
                .map(value -> value == HEADER ? "header:NAME" : value.word())
                .toList();
    }

    /// The value of a word; null for another word.
    static @Nullable RequestValue of(String word) {
        for (var value : values()) {
            if (value == HEADER ? word.startsWith(value.word()) : word.equals(value.word())) return value;
        }
        return null;
    }

    /// Its text. Whatever a peer can send may be in it, where the table in the guide does not exclude that.
    ///
    /// @param field the name for [#HEADER]
    String in(Request request, String field) {
        return switch (this) {
            case CLIENT -> client(request.remote());
            case CLIENT_PORT -> clientPort(request.remote());
            case HOST -> host(request.header("Host").orElse(""));
            case PORT -> port(request, request.header("Host").orElse(""));
            case SCHEME -> request.isSecure() ? "https" : "http";
            case METHOD -> request.method();
            case PATH -> request.path();
            case QUERY -> request.query().isEmpty() ? "" : "?" + request.query();
            case REQUEST_ID -> RequestIds.of(request).orElse("");
            case TLS_NAME -> request.security().flatMap(Security::serverName).orElse("");
            case TLS_SUBJECT ->
                request.security().flatMap(RequestValue::subject).orElse("");
            case HEADER -> {
                var lines = request.headers(field);
                yield lines.size() == 1 ? lines.getFirst() : String.join(", ", lines);
            }
        };
    }

    static String client(SocketAddress remote) {
        return remote instanceof InetSocketAddress at && !at.isUnresolved() ? text(at.getAddress()) : "";
    }

    /// A zone means something on this machine only.
    private static String text(InetAddress address) {
        var text = address.getHostAddress();
        int zone = address instanceof Inet6Address ? text.indexOf('%') : -1;
        return zone < 0 ? text : text.substring(0, zone);
    }

    static String clientPort(SocketAddress remote) {
        return remote instanceof InetSocketAddress at && at.getPort() > 0 ? "" + at.getPort() : "";
    }

    private static String host(String authority) {
        int end = Authority.endOfHost(authority);
        boolean isHost = end > 0 && end <= MOST_HOST && (authority.charAt(0) == '[' || isName(authority, end));
        return isHost ? authority.substring(0, end) : "";
    }

    private static boolean isName(String authority, int end) {
        for (int i = 0; i < end; i++) {
            char c = authority.charAt(i);
            boolean isFine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!isFine && c != '-' && c != '.' && c != '_') return false;
        }
        return authority.charAt(0) != '.';
    }

    private static String port(Request request, String authority) {
        int end = Authority.endOfHost(authority);
        if (end + 1 < authority.length()) return authority.substring(end + 1);
        return request.isSecure() ? "443" : "80";
    }

    private static Optional<String> subject(Security security) {
        return security.peerCertificates().stream()
                .findFirst()
                .map(own -> own.getSubjectX500Principal().getName());
    }
}
