package io.millrace.http.pool;

import io.millrace.bytes.Bytes;
import io.millrace.http.ClientFilter;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.BuiltRequest;
import java.net.URI;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// The next request after a redirect (RFC 9110 section 15.4).
///
/// | status | next request |
/// | --- | --- |
/// | 301, 302 | the same; GET instead of POST |
/// | 303 | GET, HEAD after HEAD |
/// | 307, 308 | the same |
///
/// A body that was written as the server took it is gone: a redirect that needs it again is the answer.
///
/// @param most how many in a row are followed
/// @param ofOrigin names of fields, in small letters, that only the original origin gets
public record Redirects(int most, Set<String> ofOrigin) implements ClientFilter {
    /// Secret outside of the origin that they were made for.
    private static final Set<String> SECRETS = Set.of("authorization", "cookie");

    /// Follows up to so many redirects; fields for the original server are not sent elsewhere.
    ///
    /// @param defaults fields that the client adds to all requests: most are for the original server
    public static Redirects upTo(int most, Headers defaults) {
        var names = new HashSet<>(SECRETS);
        defaults.forEach((name, _) -> names.add(name.toLowerCase(Locale.ROOT)));
        names.removeIf(name -> name.equals("user-agent") || name.startsWith("accept"));
        return new Redirects(most, Set.copyOf(names));
    }

    @Override
    public CompletionStage<Response> send(Request request, Rest next) {
        return follow(request, next, most);
    }

    private CompletionStage<Response> follow(Request asked, Rest next, int left) {
        return next.send(asked).thenCompose(response -> {
            var further = left == 0 ? Optional.<Request>empty() : next(asked, response);
            return further.isEmpty()
                    ? CompletableFuture.completedStage(response)
                    : follow(further.get(), next, left - 1);
        });
    }

    /// The next request; empty if the response is not a redirect, or leads where this client does not go:
    /// from `https` to `http`, or to another scheme. Secrets are not sent to another origin.
    private Optional<Request> next(Request asked, Response response) {
        if (!isRedirect(response.status())) return Optional.empty();
        var built = BuiltRequest.copyOf(asked);
        return response.header("location").flatMap(location -> follow(built, response.status(), location));
    }

    private static boolean isRedirect(int status) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> true;
            default -> false;
        };
    }

    private Optional<Request> follow(BuiltRequest asked, int status, String location) {
        var from = asked.outbound().orElseThrow();
        var method = method(asked.method(), status);
        boolean hasBody = method.equals(asked.method());
        if (hasBody && asked.upload().isPresent()) return Optional.empty();
        BuiltRequest next;
        try {
            // Unlike RFC 3986 section 5.3, the JDK drops the path's last segment if there is only a query.
            var to = base(asked).resolve(location.startsWith("?") ? asked.path() + location : location);
            var text = to.getRawFragment() == null ? to.toString() : withoutFragment(to.toString());
            next = BuiltRequest.of(method, text, hasBody ? from.body() : Bytes.EMPTY);
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
        if (next.outbound().isEmpty()) return Optional.empty();
        var origin = next.outbound().get().origin();
        if (from.origin().isSecure() && !origin.isSecure()) return Optional.empty();
        boolean isSame = origin.equals(from.origin());
        var fields = Headers.builder();
        next.headers().forEach(fields::add);
        asked.headers().forEach((name, value) -> {
            if (isKept(name, hasBody, isSame)) fields.add(name, value);
        });
        next = next.with(fields.build());
        var limit = asked.timeLimit();
        return Optional.of(limit.isEmpty() ? next : next.within(limit.get()));
    }

    private static String method(String method, int status) {
        return switch (status) {
            case 301, 302 -> method.equals("POST") ? "GET" : method;
            case 303 -> method.equals("HEAD") ? method : "GET";
            default -> method;
        };
    }

    private static URI base(BuiltRequest asked) {
        var query = asked.query().isEmpty() ? "" : "?" + asked.query();
        return URI.create(asked.outbound().orElseThrow().origin() + asked.path() + query);
    }

    private static String withoutFragment(String uri) {
        return uri.substring(0, uri.indexOf('#'));
    }

    private boolean isKept(String name, boolean hasBody, boolean isSameOrigin) {
        var small = name.toLowerCase(Locale.ROOT);
        if (small.equals("host")) return false;
        if (!hasBody && (small.startsWith("content-") || small.equals("expect"))) return false;
        return isSameOrigin || !ofOrigin.contains(small);
    }
}
