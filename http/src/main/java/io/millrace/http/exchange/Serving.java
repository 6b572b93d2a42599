package io.millrace.http.exchange;

import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.RequestListener;
import io.millrace.http.message.Body;
import io.millrace.http.message.ReceivedRequest;
import java.net.SocketAddress;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What the exchanges of one server have in common, whatever carries them.
///
/// @param collectBytes bodies of so many announced bytes are collected before the handler is called, so that no thread
///     waits for a slow peer; 0 for none
/// @param listener hears of each request when it is over
public record Serving(HttpLimits limits, long collectBytes, HttpHandler handler, RequestListener listener) {
    /// Whether a body is collected before the handler is called. Not when the peer wants to hear first whether it is
    /// welcome.
    boolean collectsFirst(long length, boolean awaitsContinue) {
        return length != Body.UNKNOWN && length <= collectBytes && !awaitsContinue;
    }

    /// Has the handler called when the body of a request was collected.
    Body.Collecting collecting(ReceivedRequest request) {
        return new Body.Collecting(collectBytes, () -> handler.handle(request), UnaryOperator.identity());
    }

    /// For exchanges that come one after the other, when somebody wants to hear of them.
    @SuppressWarnings("ReferenceEquality") // the object itself
    @Nullable
    RequestRecord record(Supplier<SocketAddress> remote, LongSupplier clock) {
        return listener == RequestListener.NOBODY ? null : new RequestRecord(listener, remote, clock);
    }
}
