package io.millrace.http.filter;

import io.millrace.http.Cookie;
import io.millrace.http.Cookies;
import io.millrace.http.Request;
import java.util.Optional;

/// The session cookie of one request.
///
/// @param shape the cookie without its value
/// @param verified its contents, if one of the keys has signed it
record SessionCookie(Cookie shape, boolean isThere, Optional<SessionToken.Verified> verified) {
    static SessionCookie of(Request request, Sessions rules) {
        var shape = shape(rules.cookie(), rules.secure() || request.isSecure());
        var value = Cookies.of(request).value(shape.name());
        return new SessionCookie(
                shape,
                value.isPresent(),
                value.flatMap(text -> SessionToken.verified(shape.name(), text, rules.keys())));
    }

    /// With the prefix that makes user agents accept it from this host over TLS only, or at least over TLS (RFC
    /// 6265bis section 4.1.3).
    private static Cookie shape(Cookie as, boolean isSecure) {
        if (!isSecure) return as;
        boolean isOfHost = as.path().equals("/") && as.domain().isEmpty();
        return new Cookie(
                (isOfHost ? "__Host-" : "__Secure-") + as.name(),
                "",
                as.path(),
                as.domain(),
                as.maxAge(),
                true,
                as.httpOnly(),
                as.sameSite());
    }

    String name() {
        return shape.name();
    }

    Optional<SessionToken> token() {
        return verified.map(SessionToken.Verified::token);
    }

    boolean isOfNewestKey() {
        return verified.filter(SessionToken.Verified::isNewest).isPresent();
    }

    /// The cookie to set.
    Cookie of(String value) {
        return new Cookie(
                shape.name(),
                value,
                shape.path(),
                shape.domain(),
                shape.maxAge(),
                shape.secure(),
                shape.httpOnly(),
                shape.sameSite());
    }
}
