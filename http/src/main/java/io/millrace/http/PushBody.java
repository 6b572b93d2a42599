package io.millrace.http;

import io.millrace.bytes.Bytes;

/// A response body that is sent piece by piece, when there is something to send; see [Response#push]. Any thread
/// may use it, and the parts of one thread keep their order. At most 256 KiB, plus the part that crosses this
/// limit, wait for the peer.
///
/// ```java
/// Response.push(200, body -> {
///     var listening = prices.listen(price -> { if (!body.isFull()) body.send(price.line()); });
///     body.onClose(listening::cancel);
/// })
/// ```
public interface PushBody {
    /// Sends a part, unless the body is full.
    ///
    /// @return whether the part is sent: false while the body [#isFull], and once it is over
    boolean send(Bytes part);

    /// Whether so much waits for the peer that no more is accepted.
    boolean isFull();

    /// Calls the task each time that there is room again after the body was full; on any thread.
    void onRoom(Runnable task);

    /// Calls the task once when nothing can be sent any more: the peer is gone, or the body has ended; at once if
    /// that is so already. On any thread.
    void onClose(Runnable task);

    /// Ends the body.
    void end();

    /// Breaks the response off; the peer notices that it is not complete.
    void fail(Throwable cause);
}
