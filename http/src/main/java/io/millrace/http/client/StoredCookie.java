package io.millrace.http.client;

import io.millrace.http.Cookies;
import io.millrace.http.grammar.CookieDate;
import io.millrace.http.grammar.FieldValue;
import io.millrace.http.message.Origin;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A cookie that a server has set and a client sends back (RFC 6265 section 5.3 and RFC 6265bis).
///
/// @param domain in small letters, without a dot in front
/// @param isHostOnly whether it is for this host only, and not for those below it
/// @param expires in seconds since the Unix epoch
record StoredCookie(
        String name, String value, String domain, boolean isHostOnly, String path, boolean isSecure, long expires) {
    /// RFC 6265bis section 5.5: no cookie is kept longer.
    private static final long MOST_SECONDS = 400L * 24 * 3600;

    private static final int MOST_ATTRIBUTE = 1024;
    private static final Pattern MAX_AGE = Pattern.compile("-?[0-9]+");
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    /// The identity of a cookie: a jar holds one for each.
    record CookieKey(String name, String domain, boolean isHostOnly, String path) {}

    CookieKey key() {
        return new CookieKey(name, domain, isHostOnly, path);
    }

    /// Parses a `Set-Cookie` field; empty if it is malformed, or this server may not set the cookie.
    ///
    /// @param now in seconds since the Unix epoch
    static Optional<StoredCookie> parse(String field, Origin from, String requestPath, long now) {
        int end = field.indexOf(';');
        var pair = end < 0 ? field : field.substring(0, end);
        int equals = pair.indexOf('=');
        if (equals < 0) return Optional.empty();
        var name = FieldValue.trimmed(pair.substring(0, equals));
        var value = FieldValue.trimmed(pair.substring(equals + 1));
        if (name.isEmpty() || name.length() + value.length() > Cookies.MOST_BYTES) return Optional.empty();
        if (!isSendable(name) || !isSendable(value)) return Optional.empty();
        var attributes = attributes(end < 0 ? "" : field.substring(end + 1));
        var told = attributes.getOrDefault("domain", "").toLowerCase(Locale.ROOT);
        var domain = told.startsWith(".") ? told.substring(1) : told;
        var path = attributes.getOrDefault("path", "");
        boolean isOfHost = domain.isEmpty() || (domain.equals(from.host()) && !mayHaveNamesBelow(domain));
        var cookie = new StoredCookie(
                name,
                value,
                isOfHost ? from.host() : domain,
                isOfHost,
                path.startsWith("/") ? path : defaultPath(requestPath),
                attributes.containsKey("secure"),
                expires(attributes, now));
        return cookie.maySet(from, path) ? Optional.of(cookie) : Optional.empty();
    }

    private static boolean isSendable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    /// The last attribute of a name counts; one that is too long is ignored.
    private static Map<String, String> attributes(String text) {
        var found = new HashMap<String, String>();
        for (var one : text.split(";", -1)) {
            int equals = one.indexOf('=');
            var name = FieldValue.trimmed(equals < 0 ? one : one.substring(0, equals));
            var value = equals < 0 ? "" : FieldValue.trimmed(one.substring(equals + 1));
            if (value.length() <= MOST_ATTRIBUTE) found.put(name.toLowerCase(Locale.ROOT), value);
        }
        return found;
    }

    private static boolean mayHaveNamesBelow(String domain) {
        return domain.contains(".") && !ADDRESS.matcher(domain).matches();
    }

    /// RFC 6265 section 5.1.4.
    private static String defaultPath(String requestPath) {
        int last = requestPath.lastIndexOf('/');
        return requestPath.startsWith("/") && last > 0 ? requestPath.substring(0, last) : "/";
    }

    private static long expires(Map<String, String> attributes, long now) {
        long latest = now + MOST_SECONDS;
        var age = attributes.get("max-age");
        if (age != null && MAX_AGE.matcher(age).matches()) {
            if (age.startsWith("-")) return 0;
            return age.length() > 9 ? latest : Math.min(latest, now + Long.parseLong(age));
        }
        var date = CookieDate.parse(attributes.getOrDefault("expires", ""));
        return date.isPresent() ? Math.min(latest, date.getAsLong()) : latest;
    }

    private boolean maySet(Origin from, String toldPath) {
        boolean isItsDomain = isHostOnly || (mayHaveNamesBelow(domain) && isBelow(from.host(), domain));
        if (!isItsDomain) return false;
        if (isSecure && !from.isSecure()) return false;
        if (hasPrefix("__secure-") && !isSecure) return false;
        return !hasPrefix("__host-") || (isSecure && isHostOnly && toldPath.equals("/"));
    }

    private boolean hasPrefix(String prefix) {
        return name.toLowerCase(Locale.ROOT).startsWith(prefix);
    }

    private static boolean isBelow(String host, String domain) {
        return host.equals(domain)
                || (host.endsWith("." + domain) && !ADDRESS.matcher(host).matches());
    }

    /// The same cookie for its host only.
    StoredCookie ofHost() {
        return new StoredCookie(name, value, domain, true, path, isSecure, expires);
    }

    /// Whether it is sent to this path of an origin; it may have expired.
    boolean isFor(Origin to, String requestPath) {
        boolean isHost = isHostOnly ? to.host().equals(domain) : isBelow(to.host(), domain);
        return isHost && (!isSecure || to.isSecure()) && isBelowPath(requestPath, path);
    }

    private static boolean isBelowPath(String requestPath, String path) {
        if (!requestPath.startsWith(path)) return false;
        return requestPath.length() == path.length() || path.endsWith("/") || requestPath.charAt(path.length()) == '/';
    }

    boolean isOver(long now) {
        return expires <= now;
    }

    /// Whether a server without TLS would hide or replace a secure cookie with this one (RFC 6265bis section 5.7).
    boolean wouldCover(StoredCookie secure) {
        boolean isNear = isBelow(domain, secure.domain) || isBelow(secure.domain, domain);
        return secure.isSecure && secure.name.equals(name) && isNear && isBelowPath(path, secure.path);
    }

    /// Without its value, which is secret.
    @Override
    public String toString() {
        return name + "=… for " + domain + path;
    }
}
