package io.millrace.http.exchange;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.ServedRequest;
import io.millrace.http.grammar.Grpc;
import io.millrace.http.message.Callbacks;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Records the requests of one connection, one after the other, if there is a listener.
///
/// ```
///   begin, or refused ──► received, responds, failed ──► over: told, once
/// ```
public final class RequestRecord extends ServedRequest {
    private final Runnable telling;
    private final Supplier<SocketAddress> remote;
    private final LongSupplier clock;

    private boolean isOpen;
    private Optional<Request> request = Optional.empty();
    private String refusedLine = "";
    private String protocol = "";
    private int status;
    private int grpcStatus;
    private boolean isComplete;
    private boolean isTunnel;
    private long received;
    private long sent;
    private long beganNanos;
    private long firstByteNanos;
    private long nanos;
    private String failure = "";

    RequestRecord(RequestListener told, Supplier<SocketAddress> remote, LongSupplier clock) {
        this.telling = () -> told.over(this);
        this.remote = remote;
        this.clock = clock;
    }

    // For the exchange.

    /// A request has arrived.
    void begin(Request understood, String spoken) {
        begin(spoken);
        request = Optional.of(understood);
    }

    private void begin(String spoken) {
        isOpen = true;
        protocol = spoken;
        request = Optional.empty();
        refusedLine = "";
        status = 0;
        grpcStatus = Grpc.NONE;
        isTunnel = false;
        received = 0;
        sent = 0;
        firstByteNanos = 0;
        failure = "";
        beganNanos = clock.getAsLong();
    }

    /// The request is malformed, or refused.
    ///
    /// @param line its beginning, if it was not understood
    void refused(String line, String why, String spoken) {
        if (!isOpen) begin(spoken);
        if (request.isEmpty() && !line.isEmpty()) refusedLine = line;
        failed(why);
    }

    /// So much of its body was read.
    void received(long bytes) {
        received = bytes;
    }

    /// A response begins.
    void responds(int status) {
        this.status = status;
        firstByteNanos = Math.max(1, clock.getAsLong() - beganNanos);
    }

    /// A response ends with these trailers, or with a head that has no body.
    void ends(Headers fields) {
        fields.first(Grpc.STATUS).ifPresent(value -> grpcStatus = Grpc.status(value));
    }

    /// The first reason counts.
    void failed(String why) {
        if (failure.isEmpty()) failure = why;
    }

    /// The response is complete.
    void over(long bytesSent) {
        if (!isOpen) return;
        isComplete = true;
        tell(bytesSent);
    }

    /// The tunnel has closed.
    void tunnelled(long bytesReceived, long bytesSent, @Nullable IOException cause) {
        if (!isOpen) return;
        isTunnel = true;
        received = bytesReceived;
        if (cause != null) failed(String.valueOf(cause.getMessage()));
        over(bytesSent);
    }

    /// The connection died before the response was complete.
    void cut(long bytesSent, @Nullable IOException cause) {
        if (!isOpen) return;
        isComplete = false;
        failed(cause == null ? "the connection was closed" : String.valueOf(cause.getMessage()));
        tell(bytesSent);
    }

    private void tell(long bytesSent) {
        isOpen = false;
        sent = bytesSent;
        nanos = clock.getAsLong() - beganNanos;
        Callbacks.tell(telling);
        request = Optional.empty();
    }

    // For the listener.

    @Override
    public Optional<Request> request() {
        return request;
    }

    @Override
    public String refusedLine() {
        return refusedLine;
    }

    @Override
    public String protocol() {
        return protocol;
    }

    @Override
    public SocketAddress remote() {
        return remote.get();
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public OptionalInt grpcStatus() {
        return grpcStatus == Grpc.NONE ? OptionalInt.empty() : OptionalInt.of(grpcStatus);
    }

    @Override
    public boolean isComplete() {
        return isComplete;
    }

    @Override
    public boolean isTunnel() {
        return isTunnel;
    }

    @Override
    public long requestBytes() {
        return received;
    }

    @Override
    public long responseBytes() {
        return sent;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long firstByteNanos() {
        return firstByteNanos;
    }

    @Override
    public String failure() {
        return failure;
    }
}
