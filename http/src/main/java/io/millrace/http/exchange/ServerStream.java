package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.PipedBytes;
import io.millrace.http.message.Takeover;
import io.millrace.loop.ErrorLog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Carries a server's exchanges, below the seam: an HTTP/1.1 connection, one exchange after the other, or an
/// HTTP/2 stream, with one exchange.
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
/// The rules of the calls:
///
/// - All calls up come one after the other, from the thread that has the exchange; calls down come from within
///   them, except [#wake], [#isFull], and methods that say so. No call down calls up.
/// - A response begins once: with [#answer], [#head], or [#upgrade]. Interim responses come before it. [#data]
///   and [#end] follow a [#head] with a body, and nothing follows one without.
/// - [#over] is the last call of a complete exchange, [#reset] of an incomplete one; one of them comes, once,
///   unless the version has called [ServerExchange#reset] before.
/// - A part of the body is passed to [ServerExchange#body] when [ServerExchange#demand] allows it, which may
///   change with each call up. The rest of a part is offered again with what follows it.
/// - Exceptions of [ServerExchange#body] and [ServerExchange#bodyEnded] go to [ServerExchange#broke], from
///   outside of the code that frames that body.
public interface ServerStream extends ExchangeStream {
    // The response.

    /// An interim response (RFC 9110 section 15.2), 100 included. Peers that do not support them get none.
    void interim(int status, Headers fields);

    /// A whole response.
    ///
    /// @param body of the announced length, whether it is sent or not
    /// @param hasBody false for a response to HEAD, 204, and 304
    void answer(BuiltResponse response, Bytes body, boolean hasBody);

    /// The head of a response.
    ///
    /// @param length of its body in bytes, or [io.millrace.http.message.Body#UNKNOWN]
    /// @param hasBody whether a body and its end follow
    void head(BuiltResponse response, long length, boolean hasBody);

    /// The response, and another protocol from now on; [ServerExchange#tunnelBegins] is told of its end.
    void upgrade(Takeover to);

    /// The connection serves no further requests.
    void endKeepAlive();

    /// The request is refused; if the next one cannot be found then, the connection serves no further requests.
    void refuses();

    /// Both are complete, or the rest of the request's body is not wanted.
    void over();

    /// The response will never be complete, and the peer must not take it for complete.
    ///
    /// @param takesNothing whether the peer does not read, so that unsent bytes may be dropped
    /// @param cause of another connection, or null
    void reset(boolean takesNothing, @Nullable IOException cause);

    // The request.

    /// The rest of the request's body is not wanted; before the response begins, or after it.
    void leaveBody();

    /// Bytes of bodies that have arrived over the connection for all its streams; 0 if it carries one at a time.
    /// Any thread.
    default long bodyBytesOfAll() {
        return 0;
    }

    /// What waits in pipes for all streams of its connection; null if it carries one at a time.
    default @Nullable PipedBytes pipedBytes() {
        return null;
    }

    /// The streams of its connection on which the peer may and should send more of a body. On the loop.
    default int incompleteBodies() {
        return 1;
    }

    /// Whether the peer's bytes are received: not while memory is tight, or the peer does not take what was sent on
    /// its connection. On the loop.
    default boolean isReceiving() {
        return true;
    }

    // Room.

    /// Whether output still goes to the peer: not once its connection closes. Any thread.
    boolean isOpen();

    /// Bytes written and not yet sent.
    long unsentBytes();

    /// The limit of unsent bytes.
    long unsentLimitBytes();

    // Threads.

    /// Whether user code called here may block.
    boolean mayWait();

    /// Sends what was written, before user code is called that may block.
    ///
    /// @return false when that takes another call
    boolean sendMeanwhile();

    /// Whether the calling thread is in a call up. Any thread.
    boolean isInCall();

    /// Whether the thread of a call up may leave it: if it blocks, others can still run.
    boolean mayLeaveCall();

    /// The calling thread's call up, if it may leave, goes on without the exchange, whose next call may come at
    /// once: user code is about to wait for that.
    void leaveCall();

    /// Whether user code on another thread has the exchange now. On the loop.
    boolean isLent();

    // What has arrived.

    /// The peer's version, for logs: `HTTP/1.1`.
    String protocol();

    /// Whether a response of 2xx would open a tunnel, whatever the method seems to be (RFC 8441 section 5).
    default boolean asksTunnel() {
        return false;
    }

    /// Whether the peer expects no body in the response (RFC 9110 section 9.3.2).
    boolean isHead();

    // What it belongs to.

    /// The log for errors.
    ErrorLog errors();
}
