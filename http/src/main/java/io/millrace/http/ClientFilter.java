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
/// The first filter is called on the thread that sends, and the continuations of a stage run on loops: they must
/// not block. When the caller gives up, or the call's time is over, nothing more is sent, and results of stages
/// are dropped.
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
        /// @return the response as soon as its head has arrived; fails as [HttpSender#send(Request)] does
        CompletionStage<Response> send(Request request);

        /// Completes after this time, by the clock of the client's loops; never if the call ends first.
        CompletionStage<Void> delay(Duration time);
    }
}
