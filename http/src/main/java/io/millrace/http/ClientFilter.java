package io.millrace.http;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/// A function around a client's requests: it changes them before, looks at the heads of responses after, sends
/// them again, or answers itself. A filter works for every way to call a client: blocking or not, with the whole
/// body or a streamed one.
///
/// ```java
/// ClientFilter signed = (request, next) -> next.send(request.setHeader("X-Signature", signature(request)));
///
/// ClientFilter renewed = (request, next) -> next.send(request).thenCompose(response -> response.status() != 401
///         ? CompletableFuture.completedStage(response)
///         : next.send(request.setHeader("Authorization", renewedToken())));
///
/// HttpClient.of(ClientSettings.standard().filter(signed))
/// ```
/// A response from [Rest#send] has status and fields; its body is on its way to the caller and cannot be read
/// here. Changes of the fields reach the caller. If a filter answers itself, its response has a whole body.
///
/// The first filter is called on the thread of who sends, and what follows a stage runs on loops: it must not
/// block. When the caller gives up, or the time of the call is over, nothing more is sent, stages that are under
/// way fail, and what comes of them is dropped.
@FunctionalInterface
public interface ClientFilter {
    /// Answers a request.
    ///
    /// @return the response, with the body of the request sent last; a failure becomes the caller's
    CompletionStage<Response> send(Request request, Rest next) throws Exception;

    /// The rest of the chain behind a filter. Any thread, while the call lasts.
    interface Rest {
        /// Sends a request. A call has one request at a time: if another one is under way, it is given up.
        ///
        /// @return the response when its head is there; fails as [HttpSender#send(Request)] does, and with
        ///     [java.util.concurrent.CancellationException] when the call is over before
        CompletionStage<Response> send(Request request);

        /// Completes after a while, by the clock of the client's loops. Fails with
        /// [java.util.concurrent.CancellationException] when the call is over before, or those have ended.
        CompletionStage<Void> delay(Duration time);

        /// Gives up the response that came last, which is not the answer: its connection is free for others while
        /// the filter waits for something else. Another request that is sent does this, too.
        default void leave() {}
    }
}
