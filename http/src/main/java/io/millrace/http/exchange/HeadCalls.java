package io.millrace.http.exchange;

import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.ReceivedRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Calls of user code while the request's body is still to come. Code that waits for the body leaves its call:
/// the exchange goes on without it, in other calls, and its response comes later.
final class HeadCalls {
    /// How long a handler may keep the exchange from a thread that waits for the body.
    private static final Duration MOST_KEPT = Duration.ofSeconds(10);

    private final ServerExchange exchange;
    private final ServerStream stream;

    /// Whether the code called now may leave its call.
    private boolean mayLeave;

    HeadCalls(ServerExchange exchange, ServerStream stream) {
        this.exchange = exchange;
        this.stream = stream;
    }

    /// Answers with the result of user code that may wait for the body: it then leaves the call, and this method
    /// with it.
    ///
    /// @return false when it has left the call
    boolean answerWith(Callable<Response> code) {
        var asked = exchange.request();
        Response response = null;
        Throwable thrown = null;
        mayLeave = true;
        try {
            response = Objects.requireNonNull(code.call(), "a handler answered null");
        } catch (Throwable e) {
            thrown = e;
        }
        if (hasLeft(asked, response, thrown)) return false;
        mayLeave = false;
        if (thrown instanceof Error error) throw error;
        exchange.answerInstead(response != null ? response : exchange.failure(Objects.requireNonNull(thrown)));
        return true;
    }

    /// If it has left, the exchange belongs to another call.
    private static boolean hasLeft(ReceivedRequest asked, @Nullable Response response, @Nullable Throwable thrown) {
        if (!(asked.awaited() instanceof ParkedBody body) || !body.hasLeft()) return false;
        body.answered(response, thrown);
        return true;
    }

    /// Whether the code called now may leave its call. For the thread that has the exchange.
    boolean mayLeave() {
        return mayLeave;
    }

    /// Whether code in a call of its own may leave it: there is a body to wait for.
    boolean isBodyAwaitable() {
        return exchange.isBodyPending() && stream.mayLeaveCall();
    }

    /// The handler's thread, which has the exchange, is about to wait.
    void leave(CompletionStage<Response> response) {
        exchange.request().keep();
        mayLeave = false;
        var deferred = new DeferredResponse(exchange, new Body.Later(response, UnaryOperator.identity()));
        exchange.pendsOn(deferred);
        deferred.begin();
        stream.leaveCall();
    }

    /// A thread waits for the body. Any thread.
    void wantBody(BodyReceiver receiver, ParkedBody waiting) {
        // A handler that keeps the exchange until this thread is done would wait for itself.
        if (!waiting.hasLeft()) waiting.mayWaitUntil(stream.loop().after(MOST_KEPT, () -> receiver.giveUp(waiting)));
        receiver.want(waiting);
        stream.wake();
    }
}
