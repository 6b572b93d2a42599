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

/// Lets users through who send a name and a password (RFC 7617); others are answered with 401. Use it only with
/// TLS: the password is sent in the clear.
///
/// ```java
/// var users = Map.<String, Predicate<char[]>>of("ada", hash::matches);
/// var closed = BasicAuth.of("the engine", users).around(backends);
/// ```
/// Passwords are checked on separate threads, because a check may take long. A right password is checked once; of
/// each client only a few are checked at a time. After 10 wrong passwords a client is answered with 429 and
/// `Retry-After`, and may try again every 10 s; passwords that were right before still work. A request for a
/// tunnel (`CONNECT`) has its credentials in `Proxy-Authorization` (RFC 9110 section 11.7). Any thread.
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
    /// @param realm the text that browsers show when they ask for the password
    /// @param users by name, a check of the password; it may block, and should take as long for a wrong password
    ///     as for the right one
    /// @throws IllegalArgumentException for a realm that must not be sent, and a name with a colon
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
            // The proxy allows the tunnel; the server behind it has passwords of its own.
            boolean isConnect = request.method().equals("CONNECT");
            var refused = isConnect ? proxyRefused : serverRefused;
            var fields = request.headers(isConnect ? "Proxy-Authorization" : "Authorization");
            if (fields.isEmpty()) return refused;
            // A server behind might read the other one.
            if (fields.size() > 1) return SEVERAL;
            return switch (checks.check(fields.getFirst(), request.remote())) {
                case PasswordVerdict.Refused(int status, long seconds) ->
                    Response.status(status).setHeader("Retry-After", Long.toString(seconds));
                case PasswordVerdict.Checked(var check) when !check.isDone() -> later(check, refused, next, request);
                case PasswordVerdict.Checked(var check) -> check.join() ? next.handle(request) : refused;
            };
        };
    }

    /// When the check is over, the handler is called where handlers are.
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
