package io.millrace.http.exchange;

import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.RequestListener;
import io.millrace.http.message.TakesConnect;
import java.net.SocketAddress;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the exchanges of one server have in common, whatever carries them.
///
/// @param listener hears of each request when it is over
public record Serving(HttpLimits limits, HttpHandler handler, RequestListener listener) {
    /// Whether a CONNECT is its handler's business.
    public boolean takesConnect() {
        return handler instanceof TakesConnect taking && taking.takesConnect();
    }

    /// For exchanges that come one after the other, when somebody wants to hear of them.
    @SuppressWarnings("ReferenceEquality") // the object itself
    @Nullable
    RequestRecord record(Supplier<SocketAddress> remote, LongSupplier clock) {
        return listener == RequestListener.NOBODY ? null : new RequestRecord(listener, remote, clock);
    }
}
