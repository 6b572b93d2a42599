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
/// The defaults are safe: a cookie is for every path of this host alone, lasts until the user agent ends, is
/// hidden from scripts, and is not sent with requests that other sites cause, except when the user follows a
/// link. In the response to a request that came over TLS ([Request#isSecure]) it is always secure; elsewhere it
/// is with [#secure], or if its name begins with `__Host-` or `__Secure-`.
///
/// Every method that makes a cookie checks all of it, and throws an [IllegalArgumentException] with the remedy:
/// an existing cookie can be sent, and user agents will keep it.
///
/// @param name a token
/// @param value visible ASCII without quotes, commas, semicolons and backslashes
/// @param path the user agent sends it back to this path and those below
/// @param domain the user agent sends it back to this domain and those below; only to this host if empty
/// @param maxAge how long to keep it, in whole seconds; zero deletes a cookie with the same name, path and domain
/// @param secure whether it is sent over TLS only
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

    /// Whether it is sent with a request that another site caused (RFC 6265bis section 5.6.7).
    public enum SameSite {
        /// Never.
        STRICT,
        /// When the user follows a link.
        LAX,
        /// Always. User agents demand that such a cookie is secure.
        NONE;

        private String text() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    private static final Pattern VALUE = Pattern.compile("[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]*");
    private static final Pattern PATH = Pattern.compile("/[\\x20-\\x3a\\x3c-\\x7e]*");
    private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");
    private static final int MOST_ATTRIBUTE = 1024;

    /// Checks all of it.
    ///
    /// @throws IllegalArgumentException for a cookie that must not be sent, or that user agents would drop
    public Cookie {
        check(FieldValue.isToken(name), () -> "the name '" + name + "': use letters, digits, - and _");
        check(
                VALUE.matcher(value).matches(),
                () -> "the value of " + name + " has characters that must not be sent: encode it");
        check(name.length() + value.length() <= Cookies.MOST_BYTES, () -> name + " is longer than 4096 bytes");
        check(isAttribute(path, PATH), () -> name + " has the path '" + path + "': use one like /a/b, without ;");
        check(
                domain.isEmpty() || isAttribute(domain.get(), DOMAIN),
                () -> name + " has the domain '" + domain.orElse("") + "': use one like example.org, in ASCII");
        check(
                isWholeSeconds(maxAge.orElse(Duration.ZERO)),
                () -> name + " has the age " + maxAge + ": take whole seconds, 0 or more");
        check(secure || sameSite != SameSite.NONE, () -> name + " is for all sites: call secure(true) first");
        check(secure || !isPrefixed(name), () -> name + " must be secure because of its name");
        boolean isOfHost = path.equals("/") && domain.isEmpty();
        check(
                isOfHost || !hasPrefix(name, "__Host-"),
                () -> name + " must have the path / and no domain because of its name");
    }

    private static void check(boolean isFine, Supplier<String> otherwise) {
        if (!isFine) throw new IllegalArgumentException("invalid cookie: " + otherwise.get());
    }

    private static boolean isWholeSeconds(Duration age) {
        return !age.isNegative() && age.equals(age.truncatedTo(ChronoUnit.SECONDS));
    }

    private static boolean isAttribute(String text, Pattern pattern) {
        return text.length() <= MOST_ATTRIBUTE && pattern.matcher(text).matches();
    }

    /// User agents compare prefixes without regard to case (RFC 6265bis section 4.1.3).
    private static boolean isPrefixed(String name) {
        return hasPrefix(name, "__Host-") || hasPrefix(name, "__Secure-");
    }

    private static boolean hasPrefix(String name, String prefix) {
        return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    /// A cookie with the defaults above.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent
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

    /// The response with this cookie added.
    public Response addTo(Response response) {
        return response.addHeader("Set-Cookie", field());
    }

    /// The value of `Set-Cookie`, with the cookie's value.
    public String field() {
        return name + "=" + value + attributes();
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

    /// As it is sent, but without its value, which is secret.
    @Override
    public String toString() {
        return name + "=…" + attributes();
    }
}
