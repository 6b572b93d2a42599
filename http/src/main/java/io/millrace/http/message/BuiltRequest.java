package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.h1.Syntax;
import io.millrace.http.h1.Target;
import io.millrace.memory.LoopInput;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/// A request that was made here, and not by a peer.
public final class BuiltRequest extends Request {
    private static final SocketAddress NOBODY = new InetSocketAddress("0.0.0.0", 0);

    private final String method;
    private final String path;
    private final String query;
    private final Headers headers;
    private final Input body;
    private final SocketAddress remote;

    public BuiltRequest(String method, String path, String query, Headers headers, Input body, SocketAddress remote) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.headers = headers;
        this.body = body;
        this.remote = remote;
    }

    /// A copy for keeps, without the body, which was lent.
    public static BuiltRequest withoutBody(Request request) {
        return new BuiltRequest(
                request.method(),
                request.path(),
                request.query(),
                request.headers(),
                LoopInput.of(Bytes.EMPTY),
                request.remote());
    }

    /// A request with a body.
    ///
    /// @param target a path with an optional query, or an URI, whose host becomes a field
    public static BuiltRequest of(String method, String target, Bytes body) {
        Syntax.checkMethod(method);
        var parsed = Target.parse(target);
        var headers = Headers.EMPTY;
        if (!parsed.authority().isEmpty()) headers = headers.with("Host", parsed.authority());
        return new BuiltRequest(method, parsed.path(), parsed.query(), headers, LoopInput.of(body), NOBODY);
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
    public Optional<String> header(String name) {
        return headers.first(name);
    }

    @Override
    public Headers headers() {
        return headers;
    }

    @Override
    public Input body() {
        return body;
    }

    @Override
    public SocketAddress remote() {
        return remote;
    }
}
