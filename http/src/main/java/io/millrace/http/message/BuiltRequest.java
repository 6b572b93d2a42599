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

/// A request that was made here, and not by a peer.
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

    /// The one that it was made of with other fields, and the like; null for that itself.
    private final @Nullable BuiltRequest first;

    /// Of what a peer sent, if it is a copy of that.
    private final Optional<Received> received;

    /// What a copy keeps of the connection that a peer sent its request on, and whether there was a body still to
    /// come, which it has not got.
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

    /// A copy for keeps, without the body, which was lent.
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
    /// @param target a path with an optional query, or an URI, whose host becomes a field
    public static BuiltRequest of(String method, String target, Bytes body) {
        return of(method, target, body, Optional.empty());
    }

    /// A request with a body that is written as the server takes it; as the other.
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

    /// A request of any kind as one that was made here.
    public static BuiltRequest copyOf(Request request) {
        if (request instanceof BuiltRequest built) return built;
        var original = ReceivedRequest.behind(request);
        boolean isBodyToCome = original != null && original.isBodyToCome();
        return isBodyToCome ? withoutBody(request) : copyOf(request, request.body());
    }

    /// What a peer sent that a request is a copy of; empty for itself, and for one that was made here. The
    /// connection stays with it, and so does a body that is still to come.
    public static Optional<Received> copied(Request request) {
        return RewrittenRequest.originalOf(request) instanceof BuiltRequest copy ? copy.received : Optional.empty();
    }

    /// With other fields.
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

    /// With its body unpacked, and without the fields that speak of its coding.
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

    /// With so much time; see [Request#timeout].
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

    /// With fields behind its body; see [Request#trailers(Supplier)].
    public BuiltRequest followedBy(Supplier<Headers> trailers) {
        return with(written().trailers(trailers));
    }

    private Upload written() {
        return upload.orElseThrow(() -> new IllegalStateException(
                "only a body that a BodyWriter writes needs to be told its length, or has trailers"));
    }

    private BuiltRequest with(Upload changed) {
        return new BuiltRequest(
                method, path, query, headers, body, remote, outbound, timeout, Optional.of(changed), received, first());
    }

    /// The one that it was made of with other fields, and the like: what becomes of it is noted there.
    public BuiltRequest first() {
        return first == null ? this : first;
    }

    /// Its body, if that is written as the server takes it.
    public Optional<Upload> upload() {
        return upload;
    }

    /// Where a client sends it. Empty for a path alone, and for a copy of what a peer sent: its Host field is
    /// only what the peer says.
    public Optional<Outbound> outbound() {
        return outbound;
    }

    /// What [Request#timeout] said.
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
