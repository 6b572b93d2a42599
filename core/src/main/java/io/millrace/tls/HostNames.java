package io.millrace.tls;

import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Server names in certificates (RFC 9525) and in clients' requests.
final class HostNames {
    private static final Pattern PATTERN = Pattern.compile("(?:\\*\\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?");
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private HostNames() {}

    /// A name for a server, in lower case.
    ///
    /// @throws IllegalArgumentException for anything but a name, or `*.` and a name
    static String pattern(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (PATTERN.matcher(lower).matches() && !lower.contains("..")) return lower;
        throw new IllegalArgumentException(
                '"' + name + "\" is not a host name: take \"example.com\", or \"*.example.com\" for one label more");
    }

    /// The pattern that matches a name and its siblings.
    static Optional<String> wildcard(String name) {
        int dot = name.indexOf('.');
        return dot <= 0 ? Optional.empty() : Optional.of('*' + name.substring(dot));
    }

    static boolean isAddress(String name) {
        return address(name).isPresent();
    }

    private static Optional<InetAddress> address(String name) {
        try {
            return Optional.of(InetAddress.ofLiteral(name));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// Whether a certificate is for a name or an address. Its subject does not count.
    static boolean isOf(X509Certificate certificate, String name) {
        var address = address(name);
        return alternatives(certificate).stream().anyMatch(each -> {
            var value = String.valueOf(each.get(1));
            return switch ((Integer) each.get(0)) {
                case DNS_NAME -> address.isEmpty() && matches(value.toLowerCase(Locale.ROOT), name);
                case IP_ADDRESS -> address.isPresent() && address.equals(address(value));
                default -> false;
            };
        });
    }

    /// The host names in a certificate, in lower case, that a server can use.
    static List<String> of(X509Certificate certificate) {
        return alternatives(certificate).stream()
                .filter(each -> each.get(0).equals(DNS_NAME))
                .map(each -> String.valueOf(each.get(1)).toLowerCase(Locale.ROOT))
                .filter(name -> PATTERN.matcher(name).matches() && !name.contains(".."))
                .distinct()
                .toList();
    }

    private static Collection<List<?>> alternatives(X509Certificate certificate) {
        try {
            var found = certificate.getSubjectAlternativeNames();
            return found == null ? List.of() : found;
        } catch (CertificateParsingException _) {
            return List.of();
        }
    }

    /// A star stands for one whole label, the first one.
    private static boolean matches(String pattern, String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (pattern.equals(lower)) return true;
        return pattern.startsWith("*.")
                && pattern.indexOf('.', 2) > 0
                && wildcard(lower).filter(pattern::equals).isPresent();
    }
}
