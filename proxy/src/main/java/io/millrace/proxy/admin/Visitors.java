package io.millrace.proxy.admin;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.operation.RequestRate;
import io.millrace.http.operation.SecretHash;
import io.millrace.proxy.admin.Pages.Texts;
import io.millrace.proxy.announce.ProxyGuards;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;

/// Which clients may read the figures, and which may make changes.
///
/// ```
///              figures                                      changes
///   loopback   every local user; no page of other sites,    the token
///              not even by DNS rebinding
///   elsewhere  the token                                    the token
/// ```
/// The token is accepted only in `Authorization: Bearer …` (RFC 6750), so that no other site's page can
/// make the browser send it.
final class Visitors {
    private static final String SCHEME = "Bearer ";
    private static final Response UNKNOWN = Texts.answer(
                    401, "This needs the admin page's token: send it as Authorization: Bearer TOKEN.\n")
            .setHeader("WWW-Authenticate", "Bearer realm=\"Millrace\"");
    private static final Response READING = Texts.answer(
            403,
            "This page is read-only, because it has no token: set admin.token in the configuration, or"
                    + " MILLRACE_ADMIN_TOKEN for --admin.\n");
    private static final Response ELSEWHERE =
            Texts.answer(403, "Pages of other sites get no figures: open the admin page itself.\n");

    /// Wrong tokens of one client, and the time until it may send another one (`admin.mistakes` in `docs/limits.md`).
    static final int MISTAKES = 10;

    private static final long MISTAKE_NANOS = 10_000_000_000L;

    /// Clients whose mistakes are remembered.
    private static final int CLIENTS = 1_000;

    private final SecretHash secret = new SecretHash();
    private final RequestRate mistakes = new RequestRate(MISTAKE_NANOS, MISTAKES, CLIENTS, System::nanoTime);
    private final Optional<byte[]> token;
    private final boolean isLocal;
    private final String name;

    /// @param isLocal whether only this machine can connect
    /// @param name the host as configured; may be empty
    Visitors(Optional<String> token, boolean isLocal, String name) {
        this.token = token.map(secret::of);
        this.isLocal = isLocal;
        this.name = name.toLowerCase(Locale.ROOT);
    }

    boolean haveToken() {
        return token.isPresent();
    }

    /// Guards everything: with a name that an attacker points here (DNS rebinding), his page would have
    /// our origin.
    HttpHandler named(HttpHandler next) {
        HttpFilter filter = handler -> request -> isKnown(request) ? handler.handle(request) : misdirected();
        return filter.around(next);
    }

    /// Guards the figures.
    HttpHandler reading(HttpHandler next) {
        return request -> {
            if (isFromElsewhere(request)) return ELSEWHERE;
            return isLocal || isRight(request) ? next.handle(request) : mistaken(request);
        };
    }

    /// Guards the changes.
    HttpHandler changing(HttpHandler next) {
        return request -> {
            if (token.isEmpty()) return READING;
            return isRight(request) ? next.handle(request) : mistaken(request);
        };
    }

    /// The right token always passes: nobody can lock others out of their address, and no one finds 16 random
    /// characters by trying.
    private Response mistaken(Request request) {
        if (request.header("Authorization").isEmpty()) return UNKNOWN;
        long wait = mistakes.take(request.remote());
        if (wait == 0) return UNKNOWN;
        ProxyGuards.ADMIN_MISTAKES.acted(request.remote(), "more than " + MISTAKES + " wrong tokens of the admin page");
        return Texts.answer(429, "Too many wrong tokens: wait before you try another one.\n")
                .setHeader("Retry-After", Long.toString(1 + wait / 1_000_000_000));
    }

    /// Takes as long for a wrong token as for the right one.
    private boolean isRight(Request request) {
        var field = request.header("Authorization").orElse("");
        if (token.isEmpty() || !field.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) return false;
        var sent = field.substring(SCHEME.length()).strip();
        return MessageDigest.isEqual(token.get(), secret.of(sent));
    }

    /// Browsers send this (Fetch Metadata).
    private static boolean isFromElsewhere(Request request) {
        var site = request.header("Sec-Fetch-Site").orElse("none");
        return !site.equals("none") && !site.equals("same-origin");
    }

    /// On other addresses the token is the protection.
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
        return Texts.answer(421, "The admin page does not have this name: open it by its address, or as localhost.\n");
    }
}
