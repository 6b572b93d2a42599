package io.millrace.http.filter;

import io.millrace.http.Headers;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.coding.Compressible;
import io.millrace.http.grammar.MediaRange;
import io.millrace.http.message.BuiltResponse;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A filter that says for how long clients and caches may use a response without asking again, by its media type:
/// `Cache-Control: max-age=…` (RFC 9111 section 5.2.2). Immutable: each method returns a copy. Any thread.
///
/// ```java
/// var expires = Expires.of()
///         .type("text/html", Duration.ZERO)
///         .type("image/*", Duration.ofDays(30))
///         .immutable("font/woff2", Duration.ofDays(365));
/// HttpHandler app = expires.around(StaticFiles.of(folder));
/// ```
/// It adds the field to responses to GET and HEAD with status 200, 203, 206 or 304 that have a media type. It leaves
/// alone errors, redirects, events, responses with `Set-Cookie`, and those with a `Cache-Control` or an `Expires` of
/// their own. A 304 seldom has a media type: then a cache goes on with the `max-age` that it has.
///
/// Two filters with the same settings are equal.
@CheckReturnValue
public final class Expires implements HttpFilter {
    private final Map<MediaRange, Lifetime> lifetimes;

    /// For how long a response may be used.
    ///
    /// @param maxAge whole seconds
    /// @param immutable whether it does not change in this time, so that a reload of a page does not ask (RFC 8246)
    public record Lifetime(Duration maxAge, boolean immutable) {
        /// The most, in days.
        public static final int MOST_DAYS = 365;

        public Lifetime {
            if (maxAge.isNegative()
                    || maxAge.compareTo(Duration.ofDays(MOST_DAYS)) > 0
                    || !maxAge.equals(maxAge.truncatedTo(ChronoUnit.SECONDS))) {
                throw new IllegalArgumentException(
                        "a response for " + Wording.of(maxAge) + ": take whole seconds, up to " + MOST_DAYS + " days");
            }
        }

        private String text() {
            return "max-age=" + maxAge.toSeconds() + (immutable ? ", immutable" : "");
        }
    }

    private Expires(Map<MediaRange, Lifetime> lifetimes) {
        this.lifetimes = Collections.unmodifiableMap(lifetimes);
    }

    /// For no media type yet.
    public static Expires of() {
        return new Expires(Map.of());
    }

    /// Sets the time for a media type (`text/html`), a kind of them (`image/*`), or all (`*/*`); the narrowest that a
    /// response fits counts. Zero lets caches ask each time.
    ///
    /// @throws IllegalArgumentException for an invalid media type, parts of a second, and more than 365 days
    public Expires type(String mediaType, Duration maxAge) {
        return type(mediaType, new Lifetime(maxAge, false));
    }

    /// The same for files whose names change with their content, so that a reload of a page does not ask again.
    public Expires immutable(String mediaType, Duration maxAge) {
        return type(mediaType, new Lifetime(maxAge, true));
    }

    /// Sets the time for a media type, or a kind of them.
    public Expires type(String mediaType, Lifetime lifetime) {
        var more = new LinkedHashMap<>(lifetimes);
        more.put(MediaRange.of(mediaType), lifetime);
        return new Expires(more);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            var response = next.handle(request);
            return isReading(request) ? response.map(this::dated) : response;
        };
    }

    private static boolean isReading(Request request) {
        return request.method().equals("GET") || request.method().equals("HEAD");
    }

    private Response dated(Response response) {
        var headers = BuiltResponse.from(response).headers();
        if (!isFor(response.status()) || isSaid(headers)) return response;
        return headers.first("Content-Type")
                .map(Compressible::type)
                .filter(type -> !Compressible.isEvents(type))
                .flatMap(this::lifetime)
                .map(lifetime -> response.setHeader("Cache-Control", lifetime.text()))
                .orElse(response);
    }

    private static boolean isFor(int status) {
        return status == 200 || status == 203 || status == 206 || status == 304;
    }

    private static boolean isSaid(Headers headers) {
        return headers.has("Cache-Control") || headers.has("Expires") || headers.has("Set-Cookie");
    }

    private Optional<Lifetime> lifetime(String type) {
        int slash = type.indexOf('/');
        var exact = lifetimes.get(new MediaRange(type));
        if (exact != null || slash < 0) return Optional.ofNullable(exact);
        var kind = lifetimes.get(new MediaRange(type.substring(0, slash) + "/*"));
        return Optional.ofNullable(kind != null ? kind : lifetimes.get(new MediaRange("*/*")));
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Expires other && lifetimes.equals(other.lifetimes);
    }

    @Override
    public int hashCode() {
        return lifetimes.hashCode();
    }

    @Override
    public String toString() {
        return "Expires" + lifetimes;
    }
}
