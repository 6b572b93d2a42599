package io.millrace.http;

import io.millrace.bytes.Bytes;

/// The body of a response that is sent when there is something to send; see [Response#push]. Any thread may use it, and
/// what one of them sends keeps its order. At most 256 KiB, and the part that goes beyond, wait for the peer.
///
/// ```java
/// Response.push(200, body -> {
///     var listening = prices.listen(price -> { if (!body.isFull()) body.send(price.line()); });
///     body.onClose(listening::cancel);
/// })
/// ```
public interface PushBody {
    /// Sends a part, unless it is full.
    ///
    /// @return whether it is sent: not while it [#isFull], and not once it is over
    boolean send(Bytes part);

    /// Whether so much waits that nothing more is taken.
    boolean isFull();

    /// Calls each time that it was full and there is room again; on whatever thread makes it.
    void onRoom(Runnable task);

    /// Calls once when nothing is sent any more: the peer has gone, or it has ended; at once if that is so. On
    /// whatever thread hears of it.
    void onClose(Runnable task);

    /// The body is complete.
    void end();

    /// It never will be: the peer sees that the response broke off.
    void fail(Throwable cause);
}
