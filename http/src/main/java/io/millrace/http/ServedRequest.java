package io.millrace.http;

import io.millrace.http.exchange.RequestRecord;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.OptionalInt;

/// The outcome of a server's request. **Lent** to [RequestListener#over] until it returns, with the request.
public abstract sealed class ServedRequest permits RequestRecord {
    protected ServedRequest() {}

    /// The request; empty if it was refused before it was understood, see [#refusedLine].
    public abstract Optional<Request> request();

    /// The first line of a request that was refused before it was understood, as it came, up to 256 characters of
    /// any kind. Empty for others.
    public abstract String refusedLine();

    /// The pattern of the route that answered ([Request#route]): a label for metrics, with no more values than
    /// there are routes. Empty if none did.
    public final Optional<String> route() {
        return request().flatMap(Request::route);
    }

    /// `HTTP/2.0`, `HTTP/1.1` or `HTTP/1.0`.
    public abstract String protocol();

    /// The peer's address.
    public abstract SocketAddress remote();

    /// The response's status, 0 if no response has begun.
    public abstract int status();

    /// The status with which a call of gRPC ended, from the trailers of the response, or from a head without a body:
    /// 0 to 16, or 17 for a value that is none. Empty for other requests, and for a response that broke off.
    public abstract OptionalInt grpcStatus();

    /// Whether the whole response was written to the connection. Some of it may still be in the kernel.
    public abstract boolean isComplete();

    /// Whether the connection became a tunnel, with status 101 or by `CONNECT`: then the request lasts as long as
    /// the tunnel, and its bytes are the tunnel's.
    public abstract boolean isTunnel();

    /// Bytes read of the request's body, without framing.
    public abstract long requestBytes();

    /// Bytes written of the response's body, without framing.
    public abstract long responseBytes();

    /// Time since the end of the request's head, in nanoseconds.
    public abstract long nanos();

    /// Time from the end of the request's head to the beginning of the response, in nanoseconds; 0 if no response
    /// has begun.
    public abstract long firstByteNanos();

    /// The error, in words for logs, as far as the server knows; empty if there was none.
    public abstract String failure();
}
