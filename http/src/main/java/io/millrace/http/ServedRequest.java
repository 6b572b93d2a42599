package io.millrace.http;

import io.millrace.http.exchange.RequestRecord;
import java.net.SocketAddress;
import java.util.Optional;

/// What became of a request that a server got. **Lent** to [RequestListener#over] until it returns, with the request.
public abstract sealed class ServedRequest permits RequestRecord {
    protected ServedRequest() {}

    /// The request; empty for one that was refused before it was understood, see [#refusedLine].
    public abstract Optional<Request> request();

    /// How a request began that was refused before it was understood: its first line as it came, up to 256
    /// characters, whatever they are. Empty for others.
    public abstract String refusedLine();

    /// The pattern of the route that has answered it ([Request#route]): a label for metrics, of which there are
    /// no more than routes. Empty where none has.
    public final Optional<String> route() {
        return request().flatMap(Request::route);
    }

    /// `HTTP/1.1` or `HTTP/1.0`.
    public abstract String protocol();

    /// The peer's address.
    public abstract SocketAddress remote();

    /// Of the response, 0 when none has begun.
    public abstract int status();

    /// Whether the whole response was handed over to the connection. The kernel may have some of it yet.
    public abstract boolean isComplete();

    /// Whether the connection became a tunnel, with status 101 or by `CONNECT`: the request is over when that is,
    /// and its bytes are those of the tunnel.
    public abstract boolean isTunnel();

    /// Of the request's body, as far as it was read, without what framing adds.
    public abstract long requestBytes();

    /// Of the response's body, as far as it was written, without what framing adds.
    public abstract long responseBytes();

    /// From the end of the request's head until now, in nanoseconds.
    public abstract long nanos();

    /// From the end of the request's head to the beginning of the response, in nanoseconds; 0 when none has
    /// begun.
    public abstract long firstByteNanos();

    /// What went wrong, in words for a log, as far as the server knows; empty when nothing did.
    public abstract String failure();
}
