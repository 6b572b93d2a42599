package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import java.net.SocketAddress;
import java.util.Optional;

/// A request on its way to somebody else, with another path or other fields; the rest is the original's, and lent
/// as that is.
public final class RewrittenRequest extends Request {
    private final Request original;
    private final String path;
    private final Optional<Headers> headers;

    /// @param path canonical, as that of the original
    /// @param headers instead of those of the original; nothing to keep them
    public RewrittenRequest(Request original, String path, Optional<Headers> headers) {
        this.original = original;
        this.path = path;
        this.headers = headers;
    }

    /// What a request was before any change: one that a peer sent, or that was made here.
    public static Request originalOf(Request request) {
        return request instanceof RewrittenRequest rewritten ? originalOf(rewritten.original) : request;
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
        return headers.isPresent() ? headers.get().first(name) : original.header(name);
    }

    @Override
    public Headers headers() {
        return headers.isPresent() ? headers.get() : original.headers();
    }

    @Override
    public Input body() {
        return original.body();
    }

    @Override
    public Headers trailers() {
        return original.trailers();
    }

    @Override
    public SocketAddress remote() {
        return original.remote();
    }
}
