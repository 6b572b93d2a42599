package io.millrace.http.exchange;

import io.millrace.Dispatch;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.loop.LoopLog;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What all exchanges of a server share, whatever carries them.
///
/// @param collectBytes bodies up to this announced length are collected before the handler is called, so that no
///     thread waits for a slow peer; 0 for none
public record Serving(HttpSettings settings, long collectBytes, HttpHandler handler) {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// Bodies of up to this announced length are collected, for handlers that may block.
    private static final long COLLECTED_BYTES = 64 << 10;

    /// Off the loop, small bodies are collected first.
    public static Serving of(HttpSettings settings, Dispatch dispatch, HttpHandler handler) {
        return new Serving(settings, dispatch instanceof Dispatch.OnLoop ? 0 : COLLECTED_BYTES, handler);
    }

    HttpLimits limits() {
        return settings.limits();
    }

    /// The response to an error without a body of its own.
    ///
    /// @param request if there is one
    /// @param cause what a handler threw, if the error comes from that
    @SuppressWarnings("ReferenceEquality") // the object itself
    BuiltResponse shown(BuiltResponse error, @Nullable Request request, @Nullable Throwable cause) {
        if (settings.errors() == ErrorResponses.PHRASES) return error;
        try {
            var made = settings.errors().of(error, Optional.ofNullable(request), Optional.ofNullable(cause));
            return BuiltResponse.from(made).inPlaceOf(error).written(settings.json());
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "HttpSettings.errors failed", e);
            return error;
        }
    }

    /// Whether a body is collected before the handler is called. Not if the peer waits for `100 Continue`.
    boolean collectsFirst(long length, boolean awaitsContinue) {
        return length != Body.UNKNOWN && length <= collectBytes && !awaitsContinue;
    }

    /// Calls the handler when a request's body has been collected.
    Body.Collecting collecting(ReceivedRequest request) {
        return new Body.Collecting(collectBytes, () -> handler.handle(request), UnaryOperator.identity());
    }

    /// The record of a connection's exchanges, if there is a listener.
    @SuppressWarnings("ReferenceEquality") // the object itself
    @Nullable
    RequestRecord record(Supplier<SocketAddress> remote, LongSupplier clock) {
        return settings.listener() == RequestListener.NOBODY
                ? null
                : new RequestRecord(settings.listener(), remote, clock);
    }
}
