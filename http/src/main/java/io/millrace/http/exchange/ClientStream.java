package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.http.message.OutgoingHead;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Carries a client's exchanges, below the seam: an HTTP/1.1 connection, one exchange after the other, or an
/// HTTP/2 stream, with one exchange.
///
/// ```
///   free ──► begin                                                        ClientExchange
///   heads ──► interim*, then head, body*, ended; or upgrade, tunnelEnded
///   room, news, `wake` ──► goOn          a cut, a reset ──► closed
///   ─────────────────────────────────────────────────────────────────────────────────────
///   send, or head, data*, end; pause, resume                              ClientStream
///   over; or reset; gone
/// ```
/// The rules of the calls:
///
/// - Everything happens on the loop, except [#isFull] and [#wake]. The caller may call the exchange at any time.
///   No call down calls up, except for the next exchange, which may begin within [#over], and the end, which may
///   come within [#reset].
/// - A request is sent once: with [#send], or with [#head], [#data], and [#end].
/// - After [#pause] no more of a body is passed up until [#resume] or the end of the exchange; the rest of a part
///   is offered again with what follows it. The end is reported only after all of the body was taken.
/// - Exceptions of [ClientExchange#body] and [ClientExchange#ended] go to [ClientExchange#broke], from outside of
///   the code that frames that body.
/// - [#over] is the last call of a complete exchange, and [#gone] the last of all. After [#reset] the version
///   calls [ClientExchange#closed], within it or soon after, as it does when the stream ends by itself, or
///   [ClientExchange#refused]; what arrives meanwhile is dropped.
public interface ClientStream extends ExchangeStream {
    // The request.

    /// A whole request, without a body or with a short one.
    ///
    /// @throws io.millrace.bytes.Overflow when too much is unsent
    void send(OutgoingHead head, Bytes body);

    /// The head of a request, whose body and end follow.
    void head(OutgoingHead head);

    /// Whether trailers may follow a body whose length is announced.
    default boolean takesTrailers() {
        return false;
    }

    // The response.

    /// Stops reading the response.
    void pause();

    /// Goes on reading.
    void resume();

    // Ending.

    /// The response is complete.
    ///
    /// @param isSent whether the server has got the whole request; otherwise the rest is never sent
    void over(boolean isSent);

    /// Gives the exchange up.
    void reset(IOException cause);

    /// The stream has ended; the caller is told next.
    ///
    /// @param unread the caller whose request was not read, which another stream may carry
    void gone(@Nullable Caller unread);

    // Blame.

    /// Whether the server must take what was written, before it can answer.
    boolean isSending();

    /// When the last byte arrived or left, by the loop's clock.
    long lastMovedNanos();

    /// Whether nothing is received because memory is tight, so that the server may have answered.
    boolean isStarved();
}
