package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.http.message.OutgoingHead;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// What carries the exchanges of a client, below the seam: a connection of HTTP/1.1, one exchange after the other, or
/// a stream of HTTP/2, one in all.
///
/// ```
///   free ──► begin                                                        ClientExchange
///   heads ──► interim*, then head, body*, ended; or upgrade, tunnelEnded
///   room, news, `wake` ──► goOn          a cut, a reset ──► closed
///   ─────────────────────────────────────────────────────────────────────────────────────
///   send, or head, data*, end; pause, resume                              ClientStream
///   over; or reset; gone
/// ```
/// Who calls what, when, and how often:
///
/// - All of it happens on the loop, but for [#isFull] and [#wake]. The exchange is also called by whoever asks, at
///   any time. No call down calls up, but for the next exchange that may begin within [#over], and the end that may
///   come within [#reset].
/// - A request is sent once: with [#send], or with [#head], [#data], and [#end].
/// - After [#pause] nothing more of a body is given until [#resume] or the end of the exchange; what is left of a
///   part is offered again with what follows it. The end is not told before all of the body was taken.
/// - What [ClientExchange#body] and [ClientExchange#ended] throw goes to [ClientExchange#broke], from outside of
///   whatever framed that body.
/// - [#over] is the last call of an exchange that is complete, and [#gone] the last of all. Behind [#reset] the
///   version tells [ClientExchange#closed], within it or soon after, as it does when it ends by itself; what arrives
///   meanwhile is nobody's.
public interface ClientStream extends ExchangeStream {
    // The request.

    /// All of a request, without a body or with a short one.
    ///
    /// @throws io.millrace.bytes.Overflow when more is unsent than may be
    void send(OutgoingHead head, Bytes body);

    /// A request begins, whose body follows, and its end.
    void head(OutgoingHead head);

    // The response.

    /// Nothing more of it is read.
    void pause();

    /// It is read on.
    void resume();

    // The end.

    /// The response is complete.
    ///
    /// @param isSent whether the server has got all of the request; otherwise nobody sends the rest
    void over(boolean isSent);

    /// Nobody wants the exchange any more.
    void reset(IOException cause);

    /// It has ended, and carries nobody any more; a caller is told next.
    ///
    /// @param unread who may be carried by another stream, as nobody has read its request
    void gone(@Nullable Caller unread);

    // Blame.

    /// Whether the server has to take what was written, before it can know more.
    boolean isSending();

    /// When the last byte came or went, by the loop's clock.
    long lastMovedNanos();

    /// Whether nothing is received for want of memory, so that the server may have sent what nobody has heard.
    boolean isStarved();
}
