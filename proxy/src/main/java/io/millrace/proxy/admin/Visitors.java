package io.millrace.proxy.admin;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.operation.SecretHash;
import io.millrace.proxy.admin.Pages.Texts;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;

/// Who may see the figures, and who may change something.
///
/// ```
///              figures                                      changes
///   loopback   everybody there; no page from elsewhere,     the token
///              whatever name leads it here
///   elsewhere  the token                                    the token
/// ```
/// The token comes in `Authorization: Bearer …` (RFC 6750) and nowhere else, so that no page from elsewhere can
/// have the browser send it.
final class Visitors {
    private static final String SCHEME = "Bearer ";
    private static final Response UNKNOWN = Texts.answer(
                    401, "This takes the token of the admin page: send it as Authorization: Bearer TOKEN.\n")
            .setHeader("WWW-Authenticate", "Bearer realm=\"Millrace\"");
    private static final Response READING = Texts.answer(
            403,
            "This page is for reading, because it has no token: set admin.token in the configuration, or"
                    + " MILLRACE_ADMIN_TOKEN for --admin.\n");
    private static final Response ELSEWHERE =
            Texts.answer(403, "Pages from elsewhere get no figures: open the admin page itself.\n");

    private final SecretHash secret = new SecretHash();
    private final Optional<byte[]> token;
    private final boolean isLocal;
    private final String name;

    /// @param isLocal whether only this machine can come
    /// @param name of the host as it was configured; may be empty
    Visitors(Optional<String> token, boolean isLocal, String name) {
        this.token = token.map(secret::of);
        this.isLocal = isLocal;
        this.name = name.toLowerCase(Locale.ROOT);
    }

    boolean haveToken() {
        return token.isPresent();
    }

    /// In front of everything: a name that somebody has made lead here (DNS rebinding) would make his page one of
    /// ours.
    HttpHandler named(HttpHandler next) {
        HttpFilter filter = handler -> request -> isKnown(request) ? handler.handle(request) : misdirected();
        return filter.around(next);
    }

    /// In front of figures.
    HttpHandler reading(HttpHandler next) {
        return request -> {
            if (isFromElsewhere(request)) return ELSEWHERE;
            return isLocal || isRight(request) ? next.handle(request) : UNKNOWN;
        };
    }

    /// In front of changes.
    HttpHandler changing(HttpHandler next) {
        return request -> {
            if (token.isEmpty()) return READING;
            return isRight(request) ? next.handle(request) : UNKNOWN;
        };
    }

    /// As long for a wrong token as for the right one.
    private boolean isRight(Request request) {
        var field = request.header("Authorization").orElse("");
        if (token.isEmpty() || !field.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) return false;
        var sent = field.substring(SCHEME.length()).strip();
        return MessageDigest.isEqual(token.get(), secret.of(sent));
    }

    /// Browsers say so (Fetch Metadata).
    private static boolean isFromElsewhere(Request request) {
        var site = request.header("Sec-Fetch-Site").orElse("none");
        return !site.equals("none") && !site.equals("same-origin");
    }

    /// Elsewhere the token tells friends from others.
    private boolean isKnown(Request request) {
        if (!isLocal) return true;
        var host = withoutPort(request.header("Host").orElse("localhost")).toLowerCase(Locale.ROOT);
        return host.equals("localhost") || host.equals(name) || isLiteral(host);
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        return colon < 0 || host.endsWith("]") ? host : host.substring(0, colon);
    }

    private static boolean isLiteral(String host) {
        boolean isV6 = host.startsWith("[") && host.endsWith("]");
        try {
            InetAddress.ofLiteral(isV6 ? host.substring(1, host.length() - 1) : host);
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static Response misdirected() {
        return Texts.answer(421, "The admin page is not known by this name: open it by its address, or localhost.\n");
    }
}
