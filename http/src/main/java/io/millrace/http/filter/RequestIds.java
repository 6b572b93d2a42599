package io.millrace.http.filter;

import io.millrace.http.Attribute;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.grammar.FieldValue;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.net.CheckReturnValue;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// A filter that gives each request a name, by which the lines that handlers log belong together: in a field of the
/// request, for handlers and whom they ask, in the same field of its response, as [#of], and as `request_id` in the
/// lines of an [AccessLog] in JSON. Immutable: a property is set by its name, which returns a copy, and read by the
/// same name. Any thread.
///
/// ```java
/// HttpHandler app = routes.filter(RequestIds.standard());
/// HttpHandler behindOurProxy = routes.filter(RequestIds.standard().trusting(true));
/// ```
/// A client's own value of that field is replaced, unless clients are trusted: then a single value of 1 to 128
/// letters, digits and `._~+/=:@-` is kept. Traces across programs use `traceparent`, which passes unchanged.
@CheckReturnValue
public final class RequestIds implements HttpFilter {
    private static final RequestIds STANDARD = new RequestIds("X-Request-Id", false, RequestIds::random);
    private static final Attribute<String> ID = Attribute.named("request id");
    private static final Pattern WELL_FORMED = Pattern.compile("[A-Za-z0-9._~+/=:@-]{1,128}");

    private final String field;
    private final boolean trusting;
    private final Supplier<String> source;

    private RequestIds(String field, boolean trusting, Supplier<String> source) {
        this.field = field;
        this.trusting = trusting;
        this.source = source;
    }

    /// In `X-Request-Id`, 32 random hexadecimal digits; clients are not trusted.
    public static RequestIds standard() {
        return STANDARD;
    }

    /// The name of a request; empty without this filter in front. A [io.millrace.http.RequestListener] hears it, too.
    public static Optional<String> of(Request request) {
        var told = request.attribute(ID);
        var received = ReceivedRequest.behind(request);
        return told.isPresent() || received == null ? told : received.id();
    }

    /// The same; without this filter in front, the request is named now.
    static String given(Request request) {
        var known = of(request);
        if (known.isPresent()) return known.get();
        var made = random();
        var received = ReceivedRequest.behind(request);
        if (received != null) received.named(made);
        return made;
    }

    /// The field.
    ///
    /// @throws IllegalArgumentException for an invalid name
    public RequestIds field(String name) {
        if (!FieldValue.isToken(name)) {
            throw new IllegalArgumentException("'" + name + "' is not a field name: use one like X-Request-Id");
        }
        return new RequestIds(name, trusting, source);
    }

    public String field() {
        return field;
    }

    /// Whether clients choose their ids: only if all of them are your own programs.
    public RequestIds trusting(boolean clients) {
        return new RequestIds(field, clients, source);
    }

    public boolean trusting() {
        return trusting;
    }

    /// Generates the ids, on any thread; each must be one that a trusted client could send.
    public RequestIds source(Supplier<String> names) {
        return new RequestIds(field, trusting, names);
    }

    public Supplier<String> source() {
        return source;
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            var id = theirs(request).orElseGet(this::made);
            var received = ReceivedRequest.behind(request);
            if (received != null) received.named(id);
            var named = request.setHeader(field, id).with(ID, id);
            return EachResponse.of(next, named, response -> response.setHeader(field, id));
        };
    }

    private Optional<String> theirs(Request request) {
        if (!trusting) return Optional.empty();
        var said = request.headers(field);
        boolean isFine =
                said.size() == 1 && WELL_FORMED.matcher(said.getFirst()).matches();
        return isFine ? Optional.of(said.getFirst()) : Optional.empty();
    }

    private String made() {
        var id = source.get();
        if (WELL_FORMED.matcher(id).matches()) return id;
        throw new IllegalStateException(
                "the source of request ids made '" + id + "': use 1 to 128 letters, digits and ._~+/=:@-");
    }

    private static String random() {
        var random = ThreadLocalRandom.current();
        var hex = HexFormat.of();
        return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }
}
