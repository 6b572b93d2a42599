package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.FieldValue;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// A filter that lets pages of other origins use the handlers behind it, as browsers enforce it (the Fetch
/// standard, section 3.2). Immutable: a property is set by its name, which returns a copy, and read by the same
/// name. Any thread.
///
/// ```java
/// HttpHandler app = routes.filter(Cors.allow("https://app.example.org")
///         .methods("GET", "PUT", "DELETE")
///         .credentials(true));
/// ```
/// The filter answers preflight requests itself, for every path. Origins are compared as a whole. A request from
/// an origin that is not allowed is handled, but its response has no CORS fields, so that the page cannot read it.
/// That is not access control: programs other than browsers ignore it. CORS fields that a handler sets are
/// removed.
@CheckReturnValue
public final class Cors implements HttpFilter {
    private static final Pattern ORIGIN =
            Pattern.compile("[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\\[[0-9a-f:.]+])(:[0-9]{1,5})?");
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String ALLOW_CREDENTIALS = "Access-Control-Allow-Credentials";
    private static final String ALLOW_METHODS = "Access-Control-Allow-Methods";
    private static final String ALLOW_HEADERS = "Access-Control-Allow-Headers";
    private static final String MAX_AGE = "Access-Control-Max-Age";
    private static final String EXPOSE = "Access-Control-Expose-Headers";
    private static final String REQUEST_METHOD = "Access-Control-Request-Method";
    private static final String REQUEST_HEADERS = "Access-Control-Request-Headers";
    private static final List<String> OURS =
            List.of(ALLOW_ORIGIN, ALLOW_CREDENTIALS, ALLOW_METHODS, ALLOW_HEADERS, MAX_AGE, EXPOSE);

    /// Empty for any origin.
    private final Set<String> origins;

    private final List<String> methods;
    private final List<String> fields;
    private final List<String> exposed;
    private final boolean credentials;
    private final Duration maxAge;

    private Cors(
            Set<String> origins,
            List<String> methods,
            List<String> fields,
            List<String> exposed,
            boolean credentials,
            Duration maxAge) {
        if (credentials && origins.isEmpty()) {
            throw new IllegalArgumentException("pages of any origin could act for logged-in users: name the origins"
                    + " with Cors.allow, or do not allow credentials");
        }
        this.origins = origins;
        this.methods = methods;
        this.fields = fields;
        this.exposed = exposed;
        this.credentials = credentials;
        this.maxAge = maxAge;
    }

    /// Allows pages of these origins, with `GET`, `HEAD` and `POST`, and the field `Content-Type`.
    ///
    /// @param origins spelled as browsers do, `https://app.example.org` or `http://localhost:5173`
    /// @throws IllegalArgumentException without origins, and for one that no browser would send
    public static Cors allow(String... origins) {
        if (origins.length == 0) {
            throw new IllegalArgumentException("no origins: name one, or use Cors.anyOrigin()");
        }
        for (var origin : origins) check(origin);
        return of(Set.copyOf(List.of(origins)));
    }

    /// Allows pages of any origin, but without credentials; otherwise as [#allow].
    public static Cors anyOrigin() {
        return of(Set.of());
    }

    private static Cors of(Set<String> origins) {
        return new Cors(
                origins,
                List.of("GET", "HEAD", "POST"),
                List.of("Content-Type"),
                List.of(),
                false,
                Duration.ofSeconds(5));
    }

    private static void check(String origin) {
        boolean isUsualPort = (origin.startsWith("http:") && origin.endsWith(":80"))
                || (origin.startsWith("https:") && origin.endsWith(":443"));
        if (ORIGIN.matcher(origin).matches() && !isUsualPort) return;
        throw new IllegalArgumentException("'" + origin + "' is not an origin that a browser would send: use one like"
                + " https://app.example.org, in small letters, without a path and the default port; for all origins"
                + " use Cors.anyOrigin()");
    }

    /// The methods that pages may use; replaces the earlier ones.
    public Cors methods(String... names) {
        return new Cors(origins, tokens("method", names), fields, exposed, credentials, maxAge);
    }

    public List<String> methods() {
        return methods;
    }

    /// The fields that their requests may have; replaces the earlier ones.
    public Cors fields(String... names) {
        return new Cors(origins, methods, tokens("field", names), exposed, credentials, maxAge);
    }

    public List<String> fields() {
        return fields;
    }

    /// The response fields that pages can read besides the usual ones.
    public Cors exposed(String... names) {
        return new Cors(origins, methods, fields, tokens("field", names), credentials, maxAge);
    }

    public List<String> exposed() {
        return exposed;
    }

    /// Whether pages may send credentials: cookies, certificates and passwords.
    ///
    /// @throws IllegalArgumentException together with any origin
    public Cors credentials(boolean isAllowed) {
        return new Cors(origins, methods, fields, exposed, isAllowed, maxAge);
    }

    public boolean credentials() {
        return credentials;
    }

    /// How long browsers may cache the answer to a preflight request, in whole seconds; 5 s by default. Browsers
    /// have a maximum of their own.
    ///
    /// @throws IllegalArgumentException for a negative time
    public Cors maxAge(Duration time) {
        if (time.isNegative())
            throw new IllegalArgumentException("a maximum age of " + Wording.of(time) + ": take 0 or more");
        return new Cors(origins, methods, fields, exposed, credentials, time);
    }

    public Duration maxAge() {
        return maxAge;
    }

    private static List<String> tokens(String what, String... names) {
        for (var name : names) {
            if (FieldValue.isToken(name) && !name.equals("*")) continue;
            throw new IllegalArgumentException("'" + name + "' is not a " + what + " name: list each one");
        }
        return List.of(names);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> isPreflight(request)
                ? preflight(request)
                : EachResponse.of(next, request, answered(request.headers("Origin")));
    }

    private static boolean isPreflight(Request request) {
        return request.method().equals("OPTIONS")
                && request.header("Origin").isPresent()
                && request.header(REQUEST_METHOD).isPresent();
    }

    private Response preflight(Request request) {
        var answer = varying(Response.status(isWelcome(request) ? 204 : 403));
        answer = answer.addHeader("Vary", REQUEST_METHOD).addHeader("Vary", REQUEST_HEADERS);
        if (answer.status() == 403) return answer;
        return allowed(answer, request.headers("Origin"))
                .setHeader(ALLOW_METHODS, String.join(", ", methods))
                .setHeader(ALLOW_HEADERS, String.join(", ", fields))
                .setHeader(MAX_AGE, "" + maxAge.toSeconds());
    }

    private boolean isWelcome(Request preflight) {
        return isAllowed(preflight.headers("Origin"))
                && methods.contains(preflight.header(REQUEST_METHOD).orElse(""))
                && preflight.headers(REQUEST_HEADERS).stream()
                        .flatMap(line -> List.of(line.split(",", -1)).stream())
                        .map(String::strip)
                        .allMatch(name -> name.isEmpty() || fields.stream().anyMatch(name::equalsIgnoreCase));
    }

    private boolean isAllowed(List<String> said) {
        return said.size() == 1 && (origins.isEmpty() || origins.contains(said.getFirst()));
    }

    private boolean isForAll() {
        return origins.isEmpty();
    }

    private UnaryOperator<Response> answered(List<String> said) {
        // A response that is the same for all origins has the fields even without an origin: a cache keeps one
        // copy.
        boolean isAllowed = isForAll() || isAllowed(said);
        return response -> {
            for (var field : OURS) if (response.header(field).isPresent()) response = response.removeHeader(field);
            var answer = varying(response);
            if (!isAllowed) return answer;
            answer = allowed(answer, said);
            return exposed.isEmpty() ? answer : answer.setHeader(EXPOSE, String.join(", ", exposed));
        };
    }

    /// The response depends on the request's origin, unless it is the same for all.
    private Response varying(Response response) {
        return origins.isEmpty() ? response : FieldList.varying(response, "Origin");
    }

    private Response allowed(Response response, List<String> said) {
        var answer = response.setHeader(ALLOW_ORIGIN, origins.isEmpty() ? "*" : said.getFirst());
        return credentials ? answer.setHeader(ALLOW_CREDENTIALS, "true") : answer;
    }
}
