package io.millrace.http;

import io.millrace.http.grammar.FieldValue;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// A cookie for a user agent to keep (`Set-Cookie`, RFC 6265 section 4.1 and its revision, RFC 6265bis).
/// Immutable: a property is set by its name, which returns a copy, and read by the same name.
///
/// ```java
/// Cookie.of("__Host-session", id).addTo(Response.ok("hello"))
/// Cookie.of("theme", "dark").httpOnly(false).maxAge(Duration.ofDays(365)).addTo(response)
/// ```
/// It begins safe: for every path of this host alone, until the user agent ends, hidden from scripts, and not
/// sent along with what other sites ask for, except by following a link. In the response to a request that came over
/// TLS ([Request#isSecure]) it is secure, whatever it says here; elsewhere with [#secure], or a name that begins
/// with
/// `__Host-` or `__Secure-`.
///
/// Every way to make one checks it whole, with an [IllegalArgumentException] that says what to do: what is here
/// can be sent, and would be kept.
///
/// @param name a token
/// @param value visible ASCII without quotes, commas, semicolons and backslashes
/// @param path that it is sent back to, with what is below
/// @param domain that it is sent back to, with what is below; only to this host if it is empty
/// @param maxAge whole seconds to keep it; zero deletes one with the same name, path and domain
/// @param secure whether it is sent over TLS alone
/// @param httpOnly whether it is hidden from scripts
@CheckReturnValue
public record Cookie(
        String name,
        String value,
        String path,
        Optional<String> domain,
        Optional<Duration> maxAge,
        boolean secure,
        boolean httpOnly,
        SameSite sameSite) {

    /// When it is sent along with a request that another site caused (RFC 6265bis section 5.6.7).
    public enum SameSite {
        /// Never.
        STRICT,
        /// When the user follows a link.
        LAX,
        /// Always. User agents want such a cookie to be secure.
        NONE;

        private String text() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    private static final Pattern VALUE = Pattern.compile("[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]*");
    private static final Pattern PATH = Pattern.compile("/[\\x20-\\x3a\\x3c-\\x7e]*");
    private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");
    private static final int MOST_ATTRIBUTE = 1024;

    /// See above.
    ///
    /// @throws IllegalArgumentException for a cookie that may not be sent, or would not be kept
    public Cookie {
        check(FieldValue.isToken(name), () -> "the name '" + name + "': take letters, digits, - and _");
        check(VALUE.matcher(value).matches(), () -> "the value of " + name + " has what may not be sent: encode it");
        check(name.length() + value.length() <= Cookies.MOST_BYTES, () -> name + " is longer than 4096 bytes");
        check(isAttribute(path, PATH), () -> name + " for the path '" + path + "': take one like /a/b, without ;");
        check(
                domain.isEmpty() || isAttribute(domain.get(), DOMAIN),
                () -> name + " for the domain '" + domain.orElse("") + "': take one like example.org, in ASCII");
        check(
                isWholeSeconds(maxAge.orElse(Duration.ZERO)),
                () -> name + " for " + maxAge + ": take whole seconds from 0");
        check(secure || sameSite != SameSite.NONE, () -> name + " for all sites: call secure(true) before");
        check(secure || !isPrefixed(name), () -> name + " must be secure because of its name");
        boolean isOfHost = path.equals("/") && domain.isEmpty();
        check(
                isOfHost || !hasPrefix(name, "__Host-"),
                () -> name + " must have the path / and no domain because of its name");
    }

    private static void check(boolean isFine, Supplier<String> otherwise) {
        if (!isFine) throw new IllegalArgumentException("a cookie that may not be sent: " + otherwise.get());
    }

    private static boolean isWholeSeconds(Duration age) {
        return !age.isNegative() && age.equals(age.truncatedTo(ChronoUnit.SECONDS));
    }

    private static boolean isAttribute(String text, Pattern pattern) {
        return text.length() <= MOST_ATTRIBUTE && pattern.matcher(text).matches();
    }

    /// User agents look at prefixes without regard to case (RFC 6265bis section 4.1.3).
    private static boolean isPrefixed(String name) {
        return hasPrefix(name, "__Host-") || hasPrefix(name, "__Secure-");
    }

    private static boolean hasPrefix(String name, String prefix) {
        return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    /// A cookie as above.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent
    public static Cookie of(String name, String value) {
        return new Cookie(name, value, "/", Optional.empty(), Optional.empty(), isPrefixed(name), true, SameSite.LAX);
    }

    public Cookie path(String path) {
        return new Cookie(name, value, path, domain, maxAge, secure, httpOnly, sameSite);
    }

    public Cookie domain(String domain) {
        return new Cookie(name, value, path, Optional.of(domain), maxAge, secure, httpOnly, sameSite);
    }

    public Cookie maxAge(Duration maxAge) {
        return new Cookie(name, value, path, domain, Optional.of(maxAge), secure, httpOnly, sameSite);
    }

    public Cookie secure(boolean secure) {
        return new Cookie(name, value, path, domain, maxAge, secure, httpOnly, sameSite);
    }

    public Cookie httpOnly(boolean httpOnly) {
        return new Cookie(name, value, path, domain, maxAge, secure, httpOnly, sameSite);
    }

    public Cookie sameSite(SameSite sameSite) {
        return new Cookie(name, value, path, domain, maxAge, secure, httpOnly, sameSite);
    }

    /// The response with this cookie, behind others that it has.
    public Response addTo(Response response) {
        return response.addHeader("Set-Cookie", name + "=" + value + attributes());
    }

    private String attributes() {
        var text = new StringBuilder();
        maxAge.ifPresent(age -> text.append("; Max-Age=").append(age.toSeconds()));
        domain.ifPresent(there -> text.append("; Domain=").append(there));
        text.append("; Path=").append(path);
        if (secure) text.append("; Secure");
        if (httpOnly) text.append("; HttpOnly");
        return text.append("; SameSite=").append(sameSite.text()).toString();
    }

    /// As it is sent, without its value, which is a secret.
    @Override
    public String toString() {
        return name + "=…" + attributes();
    }
}
