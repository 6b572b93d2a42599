package io.millrace.cli;

import java.net.SocketAddress;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A URL (RFC 9110 section 4.2.1) on the command line: `http://HOST[:PORT][/PATH][?QUERY]`, or with `https`, `ws` or
/// `wss`. The
/// part after `#` is not for the server, and is left out.
///
/// @param isSecure whether it uses TLS
/// @param server its address; a name is not resolved
/// @param host   with the port, as it was written
/// @param target path and query, as they were written
record HttpUrl(boolean isSecure, SocketAddress server, String host, String target) {
    private static final Pattern SYNTAX =
            Pattern.compile("(?<scheme>[A-Za-z][\\w+.-]*)://(?<host>[^/?#]*)(?<target>[^#]*)(?:#.*)?");

    static class Converter implements ITypeConverter<HttpUrl> {
        private final String plain;
        private final String secure;

        Converter() {
            this("http");
        }

        private Converter(String scheme) {
            plain = scheme;
            secure = scheme + "s";
        }

        @Override
        public HttpUrl convert(String text) {
            var parts = SYNTAX.matcher(text);
            if (!parts.matches())
                throw wrong(
                        text, "is not a URL: write " + plain + "://HOST:PORT/PATH, or " + secure + "://HOST:PORT/PATH");
            boolean isSecure = isSecure(parts.group("scheme"));
            var host = parts.group("host");
            if (host.contains("@")) throw wrong(text, "contains a user: write --header 'Authorization: …' instead");
            boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
            var server = new HostPortOption.ToConnect().convert(hasPort ? host : host + (isSecure ? ":443" : ":80"));
            var target = parts.group("target");
            return new HttpUrl(isSecure, server, host, target.startsWith("/") ? target : "/" + target);
        }

        private boolean isSecure(String scheme) {
            if (scheme.equalsIgnoreCase(plain)) return false;
            if (scheme.equalsIgnoreCase(secure)) return true;
            throw new TypeConversionException(
                    "there is no load for scheme '" + scheme + "': use " + plain + " or " + secure);
        }

        private static TypeConversionException wrong(String text, String why) {
            return new TypeConversionException("'" + text + "' " + why);
        }
    }

    /// The same with `ws` and `wss` (RFC 6455 section 3).
    static final class ToWebSocket extends Converter {
        ToWebSocket() {
            super("ws");
        }
    }

    /// The host without port, for the certificate.
    String name() {
        int colon = host.indexOf(':', host.lastIndexOf(']') + 1);
        var bare = colon < 0 ? host : host.substring(0, colon);
        return bare.startsWith("[") ? bare.substring(1, bare.length() - 1) : bare;
    }
}
