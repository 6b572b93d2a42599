package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.operation.PasswordChecks;
import io.millrace.http.operation.PasswordChecks.PasswordVerdict;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/// Lets through who has a name and a password (RFC 7617); others are answered with 401. Only behind TLS is it
/// worth anything: the password is there to be read.
///
/// ```java
/// var users = Map.<String, Predicate<char[]>>of("ada", hash::matches);
/// var closed = BasicAuth.of("the engine", users).around(backends);
/// ```
/// Whether a password is right is asked on threads of its own, as long as that takes, once for each that is
/// right, and for a few of each client at a time. A client that was wrong 10 times is answered with 429 and
/// `Retry-After`, and may try again every 10 s; passwords that were right before pass all the same. Who asks for a
/// tunnel (`CONNECT`) shows it in `Proxy-Authorization` (RFC 9110 section 11.7). Any
/// thread.
public final class BasicAuth implements HttpFilter {
    private static final Response GRANTED = Response.status(200);
    private static final Response SEVERAL = Response.status(400);

    private final PasswordChecks checks;
    private final Response serverRefused;
    private final Response proxyRefused;

    private BasicAuth(PasswordChecks checks, String challenge) {
        this.checks = checks;
        this.serverRefused = Response.status(401).setHeader("WWW-Authenticate", challenge);
        this.proxyRefused = Response.status(407).setHeader("Proxy-Authenticate", challenge);
    }

    /// For these users.
    ///
    /// @param realm what the browser tells who is asked
    /// @param users whether a password is theirs, by their names; it may block, and should take as long for a
    ///     wrong one as for the right one
    /// @throws IllegalArgumentException for a realm that may not be sent, and a name with a colon
    public static BasicAuth of(String realm, Map<String, Predicate<char[]>> users) {
        for (var name : users.keySet()) {
            if (name.indexOf(':') < 0) continue;
            throw new IllegalArgumentException("the user '" + name + "' has a colon, which ends a name: leave it out");
        }
        var quoted = realm.replace("\\", "\\\\").replace("\"", "\\\"");
        return new BasicAuth(new PasswordChecks(users), "Basic realm=\"" + quoted + "\", charset=\"UTF-8\"");
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            // A tunnel is the proxy's to allow, and what is behind it has passwords of its own.
            boolean isConnect = request.method().equals("CONNECT");
            var refused = isConnect ? proxyRefused : serverRefused;
            var fields = request.headers(isConnect ? "Proxy-Authorization" : "Authorization");
            if (fields.isEmpty()) return refused;
            // Whoever is behind might believe the other one.
            if (fields.size() > 1) return SEVERAL;
            return switch (checks.check(fields.getFirst(), request.remote())) {
                case PasswordVerdict.Refused(int status, long seconds) ->
                    Response.status(status).setHeader("Retry-After", Long.toString(seconds));
                case PasswordVerdict.Checked(var check) when !check.isDone() -> later(check, refused, next, request);
                case PasswordVerdict.Checked(var check) -> check.join() ? next.handle(request) : refused;
            };
        };
    }

    /// The handler is called where handlers are, when the check is over.
    @SuppressWarnings("ReferenceEquality") // the object itself
    private static Response later(
            CompletableFuture<Boolean> check, Response refused, HttpHandler next, Request request) {
        var received = ReceivedRequest.behind(request);
        if (received != null) received.keepBody();
        return Response.later(check.thenApply(isRight -> isRight ? GRANTED : refused))
                .map(verdict -> verdict == GRANTED ? call(next, request) : verdict);
    }

    private static Response call(HttpHandler next, Request request) {
        try {
            return next.handle(request);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }
}
