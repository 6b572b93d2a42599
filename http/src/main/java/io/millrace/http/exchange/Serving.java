package io.millrace.http.exchange;

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

/// What the exchanges of one server have in common, whatever carries them.
///
/// @param collectBytes bodies of so many announced bytes are collected before the handler is called, so that no thread
///     waits for a slow peer; 0 for none
public record Serving(HttpSettings settings, long collectBytes, HttpHandler handler) {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    HttpLimits limits() {
        return settings.limits();
    }

    /// What an error looks like that has no body of its own.
    ///
    /// @param request if there is one
    /// @param cause what a handler threw, if that was it
    @SuppressWarnings("ReferenceEquality") // the object itself
    BuiltResponse shown(BuiltResponse error, @Nullable Request request, @Nullable Throwable cause) {
        if (settings.errors() == ErrorResponses.PHRASES) return error;
        try {
            var made = settings.errors().of(error, Optional.ofNullable(request), Optional.ofNullable(cause));
            return BuiltResponse.from(made).inPlaceOf(error).written(settings.json());
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "what makes the bodies of errors failed", e);
            return error;
        }
    }

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
        return settings.listener() == RequestListener.NOBODY
                ? null
                : new RequestRecord(settings.listener(), remote, clock);
    }
}
