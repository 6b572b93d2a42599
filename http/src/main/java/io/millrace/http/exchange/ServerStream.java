package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.ErrorLog;

/// What carries the exchanges of a server, below the seam: a connection of HTTP/1.1, one exchange after the other, or
/// a stream of HTTP/2, one in all.
///
/// ```
///   head ──► begin, announce ─┬─ handle            no body                     ServerExchange
///                             ├─ whole             all of it is there
///                             └─ follow, then body, body, …, bodyEnded
///   room, news, `wake` ──► goOn          a cut, a reset ──► reset
///   ───────────────────────────────────────────────────────────────────────────────────────
///   interim*, then answer, or head, data*, end; then over                        ServerStream
///   or upgrade; or reset
/// ```
/// Who calls what, when, and how often:
///
/// - All calls up come one after the other, from the thread that has the exchange; calls down come from within
///   them, but for [#wake], [#isFull], and what is marked so. No call down calls up.
/// - A response begins once: with [#answer], [#head], or [#upgrade]. Interim ones come before it. [#data] and
///   [#end] follow a [#head] with a body, and nothing follows one without.
/// - [#over] is the last call of an exchange that is complete, [#reset] of one that is not; one of them comes, once,
///   unless the version has told [ServerExchange#reset] before.
/// - A body is given to [ServerExchange#body] when [ServerExchange#demand] says so, which may change with each call
///   up. What is left of a part is offered again with what follows it.
/// - What [ServerExchange#body] and [ServerExchange#bodyEnded] throw goes to [ServerExchange#broke], from outside of
///   whatever framed that body.
public interface ServerStream extends ExchangeStream {
    // The response.

    /// One in front of another (RFC 9110 section 15.2); 100 among them. A peer that knows none gets none.
    void interim(int status, Headers fields);

    /// All of a response.
    ///
    /// @param body of that length, whether it is sent or not
    /// @param hasBody false for a response to HEAD, 204, and 304
    void answer(BuiltResponse response, Bytes body, boolean hasBody);

    /// A response begins.
    ///
    /// @param length of its body in bytes, or [io.millrace.http.message.Body#UNKNOWN]
    /// @param hasBody whether that follows, and its end
    void head(BuiltResponse response, long length, boolean hasBody);

    /// The response, and another protocol from now on, which tells [ServerExchange#tunnelEnded] when it has ended.
    void upgrade(Upgraded to);

    /// The connection serves no further requests.
    void endKeepAlive();

    /// Both are complete, or nobody wants the rest of the request's body.
    void over();

    /// What has begun will never be complete, and the peer must not take it for that.
    ///
    /// @param takesNothing whether the peer has not taken what was written before, which need not leave then
    void reset(boolean takesNothing);

    // The request.

    /// Nobody wants the rest of its body; before the response begins, or behind it.
    void leaveBody();

    // Room.

    /// Whether what is written still goes to the peer: not once its connection closes. Any thread.
    boolean isOpen();

    /// Bytes that were written and have not left.
    long unsentBytes();

    /// How many of them there may be.
    long unsentLimitBytes();

    // Threads.

    /// Whether user code that is called here may wait.
    boolean mayWait();

    /// Lets what was written leave, as user code is about to be called that may wait.
    ///
    /// @return false when that takes another call
    boolean sendMeanwhile();

    /// Whether the calling thread is in a call up. Any thread.
    boolean isInCall();

    /// Whether the thread of a call up may leave it: one that waits keeps no other from running.
    boolean mayLeaveCall();

    /// The call up that the calling thread is in, where it may leave, goes on without the exchange, whose next call
    /// may come at once: user code is about to wait for that.
    void leaveCall();

    /// Whether user code on another thread has the exchange now. On the loop.
    boolean isLent();

    // What has arrived, as far as it is understood.

    /// The version that the peer speaks, for a log: `HTTP/1.1`.
    String protocol();

    /// Whether the peer expects no body in answer (RFC 9110 section 9.3.2).
    boolean isHead();

    // What it belongs to.

    /// Where it is logged what goes wrong.
    ErrorLog errors();
}
