package io.millrace.http;

import io.millrace.memory.LoopInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/// Sends requests: [HttpClient][io.millrace.http.client.HttpClient], or a function in its place. Code that
/// depends on this interface can be tested without a network:
///
/// ```java
/// HttpSender server = request -> Response.ok("21 degrees");
/// assertEquals("21 degrees", new Weather(server).today());
/// ```
/// The other methods call the function: a stage is complete when it is returned, and readers get the whole body
/// at once. Any thread.
@FunctionalInterface
public interface HttpSender {
    /// Sends a request and waits for the response, with all of its body. If the thread is interrupted, the
    /// request ends at once.
    ///
    /// @throws IOException when there is no complete response
    Response send(Request request) throws IOException;

    /// Sends a request and lends the response to a function, which reads its body, of any length, as it arrives.
    ///
    /// @return what the function returned
    /// @throws IOException what the function threw, or when there is no complete response
    default <T> T send(Request request, BlockingResponseReader<T> reader) throws IOException {
        var whole = send(request);
        return reader.read(
                Response.headOf(whole), new ByteArrayInputStream(whole.body().toArray()));
    }

    /// Sends a request and does not wait. Completing this future from outside ends the request at any stage:
    /// [CompletableFuture#cancel], or [CompletableFuture#orTimeout] for instance. Completing a future that
    /// depends on it, from [CompletableFuture#thenApply] for instance, does not.
    default CompletableFuture<Response> sendAsync(Request request) {
        try {
            return CompletableFuture.completedFuture(send(request));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /// Sends a request and gives the response to a reader as it arrives; as [#sendAsync(Request)].
    default <T> CompletableFuture<T> sendAsync(Request request, ResponseReader<T> reader) {
        return sendAsync(request)
                .whenComplete((_, failure) -> {
                    if (failure != null) reader.onAbort();
                })
                .thenCompose(whole -> read(whole, reader));
    }

    private static <T> CompletableFuture<T> read(Response whole, ResponseReader<T> reader) {
        try {
            reader.onHead(Response.headOf(whole));
            var body = LoopInput.of(whole.body());
            if (!body.isEmpty()) reader.onBody(body);
            if (whole.trailers().size() > 0) reader.onTrailers(whole.trailers());
            if (!body.isEmpty())
                throw new IllegalStateException(body.remaining() + " bytes of a body were left unread");
        } catch (Exception e) {
            reader.onAbort();
            return CompletableFuture.failedFuture(e);
        }
        try {
            return CompletableFuture.completedFuture(reader.onEnd());
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
