package io.millrace.http;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/// A function around the requests of a client: it changes them before, looks at the heads of responses after,
/// sends them again, or answers itself. Whatever the caller does, waits or not, takes the body whole or as it
/// arrives: a filter works for all.
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
/// A response that [Rest#send] brings has status and fields; its body is on its way to the caller, so nobody can
/// read it here, and changes of its fields are what the caller sees. A filter that answers itself does so with a
/// whole body.
///
/// The first filter is called on the thread of who sends, and what follows a stage runs on loops: it must not
/// block. When the caller gives up, or the time of the call is over, nothing more is sent, stages that are under
/// way fail, and what comes of them is dropped.
@FunctionalInterface
public interface ClientFilter {
    /// Answers a request.
    ///
    /// @return the response, whose body is that of the request sent last; its failure is the caller's
    CompletionStage<Response> send(Request request, Rest next) throws Exception;

    /// What is behind a filter. Any thread, for as long as the call lasts.
    interface Rest {
        /// Sends a request. If one of this call is under way already it is given up; a call has one at a time.
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
