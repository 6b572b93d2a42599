package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.exchange.BodyTarget;
import io.millrace.http.exchange.ServerExchange;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;

/// The body of a request on an [HttpConnection]: passed to the exchange as it arrives, or dropped, so that the
/// next request is found.
final class RequestBody implements BodyTarget {
    /// How much unread body is dropped so that its connection can go on.
    private static final long MOST_DROPPED_BYTES = 64 << 10;

    private final HttpConnection owner;
    private final ServerExchange exchange;
    private final LoopOutput output;
    private final IncomingBody framing;

    RequestBody(HttpConnection owner, ServerExchange exchange, LoopOutput output, IncomingBody framing) {
        this.owner = owner;
        this.exchange = exchange;
        this.output = output;
        this.framing = framing;
    }

    /// More of it has arrived, and is wanted.
    void read(LoopInput in) {
        try {
            if (!framing.feed(in, this, output.source())) {
                exchange.bodyGoesOn();
                return;
            }
            var trailers = framing.trailers();
            owner.releaseBody();
            exchange.bodyEnded(trailers);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    @Override
    public void take(Input part) throws Exception {
        exchange.body(part);
    }

    /// Drops what has arrived.
    ///
    /// @return whether that was the end
    boolean drop(LoopInput in) {
        try {
            if (!framing.feed(in, part -> part.skip(part.remaining()), output.source())) return false;
        } catch (Exception _) {
            // The body is malformed, so the next request cannot be found.
            return false;
        }
        owner.releaseBody();
        return true;
    }

    /// Whether the rest of it is known to be short.
    boolean isShort() {
        return framing.leftBytes() <= MOST_DROPPED_BYTES;
    }

    /// Whether the last call has left some of it in the input, for another call.
    boolean hasEnoughForNow() {
        return framing.hasEnoughForNow();
    }

    /// May be called several times.
    void release() {
        framing.release(output.source());
    }
}
