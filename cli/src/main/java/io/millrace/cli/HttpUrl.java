package io.millrace.cli;

import java.net.SocketAddress;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A URL (RFC 9110 section 4.2.1) as the command line takes it: `http://HOST[:PORT][/PATH][?QUERY]`. What stands
/// behind `#` is not for the server, and left out.
///
/// @param server its address, whose name has not been looked up
/// @param host   with the port, as it was written
/// @param target path and query, as they were written
record HttpUrl(SocketAddress server, String host, String target) {
    private static final Pattern SYNTAX =
            Pattern.compile("(?<scheme>[A-Za-z][\\w+.-]*)://(?<host>[^/?#]*)(?<target>[^#]*)(?:#.*)?");

    static final class Converter implements ITypeConverter<HttpUrl> {
        @Override
        public HttpUrl convert(String text) {
            var parts = SYNTAX.matcher(text);
            if (!parts.matches()) throw wrong(text, "is no URL: write http://HOST:PORT/PATH");
            checkScheme(parts.group("scheme"));
            var host = parts.group("host");
            if (host.contains("@")) throw wrong(text, "names a user: write --header 'Authorization: …' instead");
            boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
            var server = new HostPort.ToConnect().convert(hasPort ? host : host + ":80");
            var target = parts.group("target");
            return new HttpUrl(server, host, target.startsWith("/") ? target : "/" + target);
        }

        private static void checkScheme(String scheme) {
            if (scheme.equalsIgnoreCase("http")) return;
            if (scheme.equalsIgnoreCase("https")) {
                throw new TypeConversionException("https is not built yet: take http");
            }
            throw new TypeConversionException("there is no load for '" + scheme + "': take http");
        }

        private static TypeConversionException wrong(String text, String why) {
            return new TypeConversionException("'" + text + "' " + why);
        }
    }
}
