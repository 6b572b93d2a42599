package io.millrace.http.operation;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// A name and a password from a browser (RFC 7617 section 2).
///
/// @param user not checked
/// @param password not checked
public record Credentials(String user, String password) {
    private static final String SCHEME = "Basic ";

    /// Parses an `Authorization` field; empty for another scheme or a malformed value.
    public static Optional<Credentials> parse(String field) {
        if (!field.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) return Optional.empty();
        byte[] decoded;
        try {
            decoded =
                    Base64.getDecoder().decode(field.substring(SCHEME.length()).strip());
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
        var text = new String(decoded, StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        if (colon < 0) return Optional.empty();
        return Optional.of(new Credentials(text.substring(0, colon), text.substring(colon + 1)));
    }

    /// Without the password.
    @Override
    public String toString() {
        return "Credentials[" + user + "]";
    }
}
