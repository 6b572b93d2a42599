package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.BlockingBody;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.Target;
import io.millrace.loop.Wording;
import io.millrace.memory.LoopInput;
import io.millrace.net.Security;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A request that a program built.
public final class BuiltRequest extends Request {
    private static final SocketAddress NOBODY = new InetSocketAddress("0.0.0.0", 0);

    private final String method;
    private final String path;
    private final String query;
    private final Headers headers;
    private final Input body;
    private final SocketAddress remote;
    private final Optional<Outbound> outbound;
    private final Optional<Duration> timeout;
    private final Optional<Upload> upload;

    /// The request that this one was derived from; null for the original.
    private final @Nullable BuiltRequest first;

    /// For a copy of a peer's request.
    private final Optional<Received> received;

    /// What a copy of a peer's request keeps of its connection, and whether there was a body still to come,
    /// which the copy lacks.
    public record Received(boolean hadBodyToCome, boolean isSecure, Optional<Security> security) {
        private static Optional<Received> of(Request request) {
            if (request instanceof BuiltRequest built) return built.received;
            var original = ReceivedRequest.behind(request);
            return original == null
                    ? Optional.empty()
                    : Optional.of(new Received(original.isBodyToCome(), original.isSecure(), original.security()));
        }
    }

    private BuiltRequest(
            String method,
            String path,
            String query,
            Headers headers,
            Input body,
            SocketAddress remote,
            Optional<Outbound> outbound,
            Optional<Duration> timeout,
            Optional<Upload> upload,
            Optional<Received> received,
            @Nullable BuiltRequest first) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.headers = headers;
        this.body = body;
        this.remote = remote;
        this.outbound = outbound;
        this.timeout = timeout;
        this.upload = upload;
        this.received = received;
        this.first = first;
    }

    /// A copy to keep, without the lent body.
    public static BuiltRequest withoutBody(Request request) {
        return copyOf(request, LoopInput.of(Bytes.EMPTY));
    }

    private static BuiltRequest copyOf(Request request, Input body) {
        return new BuiltRequest(
                request.method(),
                request.path(),
                request.query(),
                request.headers(),
                body,
                request.remote(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Received.of(request),
                null);
    }

    /// A request with a body.
    ///
    /// @param target a path with an optional query, or a URI, whose host becomes a field
    public static BuiltRequest of(String method, String target, Bytes body) {
        return of(method, target, body, Optional.empty());
    }

    /// A request with a body that is written as the server takes it.
    public static BuiltRequest of(String method, String target, BodyWriter body) {
        return of(method, target, Bytes.EMPTY, Optional.of(Upload.of(body)));
    }

    private static BuiltRequest of(String method, String target, Bytes body, Optional<Upload> upload) {
        Syntax.checkMethod(method);
        var parsed = Target.parse(target);
        var headers = Headers.EMPTY;
        Optional<Outbound> outbound = Optional.empty();
        if (!parsed.authority().isEmpty()) {
            headers = headers.with("Host", parsed.authority());
            outbound = Optional.of(new Outbound(Origin.of(target, parsed.authority()), body));
        }
        return new BuiltRequest(
                method,
                parsed.path(),
                parsed.query(),
                headers,
                LoopInput.of(body),
                NOBODY,
                outbound,
                Optional.empty(),
                upload,
                Optional.empty(),
                null);
    }

    /// Any request as one that a program built.
    public static BuiltRequest copyOf(Request request) {
        if (request instanceof BuiltRequest built) return built;
        var original = ReceivedRequest.behind(request);
        boolean isBodyToCome = original != null && original.isBodyToCome();
        return isBodyToCome ? withoutBody(request) : copyOf(request, request.body());
    }

    /// Facts about the peer's request that this is a copy of; empty for a peer's request itself, and for one
    /// that a program built. The connection stays with the original, and so does a body still to come.
    public static Optional<Received> copied(Request request) {
        return RewrittenRequest.originalOf(request) instanceof BuiltRequest copy ? copy.received : Optional.empty();
    }

    /// With these fields.
    public BuiltRequest with(Headers fields) {
        return new BuiltRequest(
                method, path, query, fields, body, remote, outbound, timeout, upload, received, first());
    }

    /// With this query.
    public BuiltRequest asking(String other) {
        if (path.equals("*")) throw new IllegalArgumentException("a parameter of " + this + ": * has no query");
        return new BuiltRequest(
                method, path, other, headers, body, remote, outbound, timeout, upload, received, first());
    }

    /// With its body decoded, and without the fields about its coding.
    public BuiltRequest unpacked(Input whole) {
        return new BuiltRequest(
                method,
                path,
                query,
                BodyDecoding.withoutFields(headers),
                whole,
                remote,
                outbound,
                timeout,
                upload,
                received,
                first());
    }

    /// With this timeout; see [Request#timeout].
    public BuiltRequest within(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException(
                    "a timeout of " + Wording.of(limit) + ": take more than zero, or zero for none");
        }
        return new BuiltRequest(
                method, path, query, headers, body, remote, outbound, Optional.of(limit), upload, received, first());
    }

    /// With this length of its body; see [Request#length].
    public BuiltRequest counted(long bytes) {
        return with(written().length(bytes));
    }

    /// With these trailers; see [Request#trailers(Supplier)].
    public BuiltRequest followedBy(Supplier<Headers> trailers) {
        return with(written().trailers(trailers));
    }

    private Upload written() {
        return upload.orElseThrow(() ->
                new IllegalStateException("only a body that a BodyWriter writes has a length to set, or trailers"));
    }

    private BuiltRequest with(Upload changed) {
        return new BuiltRequest(
                method, path, query, headers, body, remote, outbound, timeout, Optional.of(changed), received, first());
    }

    /// The request that this one was derived from, or itself: it records what happens.
    public BuiltRequest first() {
        return first == null ? this : first;
    }

    /// Its body, if it is written as the server takes it.
    public Optional<Upload> upload() {
        return upload;
    }

    /// The destination in a client. Empty for a path, and for a copy of a peer's request: its Host field is
    /// only the peer's claim.
    public Optional<Outbound> outbound() {
        return outbound;
    }

    /// The value of [Request#timeout].
    public Optional<Duration> timeLimit() {
        return timeout;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String query() {
        return query;
    }

    @Override
    public Headers headers() {
        return headers;
    }

    @Override
    public BlockingBody blockingBody() {
        return new ValueBody(this);
    }

    @Override
    public Input body() {
        return body;
    }

    @Override
    public SocketAddress remote() {
        return remote;
    }

    @Override
    public boolean isSecure() {
        return received.map(Received::isSecure)
                .orElseGet(() -> outbound.filter(to -> to.origin().isSecure()).isPresent());
    }

    @Override
    public Optional<Security> security() {
        return received.flatMap(Received::security);
    }
}
