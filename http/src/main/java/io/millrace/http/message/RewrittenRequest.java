package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.http.Attribute;
import io.millrace.http.BlockingBody;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.net.Security;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A view of a request with another path or other fields; everything else is the original's, and lent as that
/// is.
public final class RewrittenRequest extends Request {
    private static final Set<String> OF_CONNECTION = Set.of(
            "connection",
            "content-length",
            "expect",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private final Request original;
    private final String path;
    private final FieldChanges changes;
    private final Map<Attribute<?>, Object> attributes;

    /// @param path canonical, like the original's
    public RewrittenRequest(Request original, String path, FieldChanges changes) {
        this(original, path, changes, Map.of());
    }

    private RewrittenRequest(
            Request original, String path, FieldChanges changes, Map<Attribute<?>, Object> attributes) {
        this.original = original;
        this.path = path;
        this.changes = changes;
        this.attributes = attributes;
    }

    /// A view of a request with an attribute.
    public static Request with(Request request, Attribute<?> attribute, Object value) {
        return at(request.path(), request, attribute, value);
    }

    private static Map<Attribute<?>, Object> and(
            Map<Attribute<?>, Object> known, Attribute<?> attribute, Object value) {
        if (known.isEmpty()) return Map.of(attribute, value);
        var all = new HashMap<>(known);
        all.put(attribute, value);
        return Map.copyOf(all);
    }

    /// A view of a request for another path, with an attribute that records why.
    ///
    /// @param path canonical
    public static Request at(String path, Request request, Attribute<?> attribute, Object value) {
        return new RewrittenRequest(
                unchanged(request), path, changesOf(request), and(attributesOf(request), attribute, value));
    }

    private static Map<Attribute<?>, Object> attributesOf(Request request) {
        return request instanceof RewrittenRequest rewritten ? rewritten.attributes : Map.of();
    }

    private static Request unchanged(Request request) {
        return request instanceof RewrittenRequest rewritten ? rewritten.original : request;
    }

    /// A request with one more field: a view of a peer's request, a copy of one that a program built.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent, and for fields about the
    ///     peer's connection
    public static Request with(Request request, String name, String value) {
        if (request instanceof BuiltRequest built)
            return built.with(built.headers().with(name, value));
        if (OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    "the field " + name + " belongs to the connection that " + request + " came on: leave it out");
        }
        return view(request, changesOf(request).with(name, value));
    }

    /// A request without fields of this name; as [#with].
    ///
    /// @throws IllegalArgumentException for an invalid name
    public static Request without(Request request, String name) {
        if (request instanceof BuiltRequest built) {
            return built.with(FieldChanges.NONE.without(name).of(built.headers()));
        }
        return view(request, changesOf(request).without(name));
    }

    private static Request view(Request request, FieldChanges changes) {
        return new RewrittenRequest(unchanged(request), request.path(), changes, attributesOf(request));
    }

    /// The request before all changes: from a peer, or built by a program.
    public static Request originalOf(Request request) {
        return request instanceof RewrittenRequest rewritten ? originalOf(rewritten.original) : request;
    }

    /// All changes to the fields of a request.
    public static FieldChanges changesOf(Request request) {
        return request instanceof RewrittenRequest rewritten ? rewritten.changes : FieldChanges.NONE;
    }

    /// The request before this change.
    public Request original() {
        return original;
    }

    @Override
    @SuppressWarnings("unchecked") // a value of this attribute
    public <T> Optional<T> attribute(Attribute<T> attribute) {
        var mine = (T) attributes.get(attribute);
        return mine != null ? Optional.of(mine) : original.attribute(attribute);
    }

    @Override
    public String method() {
        return original.method();
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String query() {
        return original.query();
    }

    @Override
    public Optional<String> header(String name) {
        var first = changes.leavesOut(name) ? Optional.<String>empty() : original.header(name);
        return first.isPresent() ? first : changes.added().first(name);
    }

    @Override
    public Headers headers() {
        return changes.of(original.headers());
    }

    @Override
    public Input body() {
        return original.body();
    }

    @Override
    public BlockingBody blockingBody() {
        return original.blockingBody();
    }

    @Override
    public Headers trailers() {
        return original.trailers();
    }

    @Override
    public SocketAddress remote() {
        return original.remote();
    }

    @Override
    public boolean isSecure() {
        return original.isSecure();
    }

    @Override
    public Optional<Security> security() {
        return original.security();
    }
}
