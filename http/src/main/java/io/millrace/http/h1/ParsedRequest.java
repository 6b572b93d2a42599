package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request that a peer sent: a view of its head's bytes, which serve the next request when this one is over.
public final class ParsedRequest extends Request {
    private static final Input NO_BODY = LoopInput.of(Bytes.EMPTY);

    private final Connection connection;
    private final Target target;
    private final String method;

    /// Null when the exchange is over.
    private @Nullable RequestHead head;

    private Input body = NO_BODY;
    private Headers trailers = Headers.EMPTY;

    ParsedRequest(Connection connection, RequestHead head) throws Refusal {
        this.connection = connection;
        this.head = head;
        this.target = Target.of(head);
        this.method = head.method();
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return target.path();
    }

    @Override
    public String query() {
        return target.query();
    }

    @Override
    public Optional<String> header(String name) {
        var fields = head();
        int line = fields.find(name, 0);
        return line < 0 ? Optional.empty() : Optional.of(fields.valueText(line));
    }

    @Override
    public Headers headers() {
        return head().headers();
    }

    @Override
    public Input body() {
        head();
        return body;
    }

    @Override
    public Headers trailers() {
        head();
        return trailers;
    }

    @Override
    public SocketAddress remote() {
        return connection.remote();
    }

    private RequestHead head() {
        var mine = head;
        if (mine != null) return mine;
        throw new IllegalStateException("this request was lent to its handler until its response was complete, and that"
                + " is over: take what you need before, or keep headers()");
    }

    // The connection's side.

    /// The body, when it is there.
    void body(Input whole, Headers trailers) {
        this.body = whole;
        this.trailers = trailers;
    }

    /// Its response takes longer than the bytes it looks at stay: from now on it has its own.
    void keep() {
        head = head().copy();
    }

    /// The exchange is over.
    void expire() {
        head = null;
        body = NO_BODY;
    }
}
