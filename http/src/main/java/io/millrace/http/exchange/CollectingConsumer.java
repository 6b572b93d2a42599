package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.memory.LoopInput;
import org.jspecify.annotations.Nullable;

/// Collects a request's body into a value, for a handler that is called then.
final class CollectingConsumer implements BodyConsumer {
    private final ServerExchange exchange;
    private final Body.Collecting body;
    private final DecodedBody decoded;

    /// Once some of it has arrived.
    private @Nullable CollectedBody collected;

    CollectingConsumer(ServerExchange exchange, Body.Collecting body) {
        this.exchange = exchange;
        this.body = body;
        this.decoded = exchange.decoded();
    }

    /// Whether it arrives unencoded.
    @SuppressWarnings("ReferenceEquality") // the object itself
    boolean isPlain() {
        return decoded == DecodedBody.PLAIN;
    }

    @Override
    public void read(Input part) throws Exception {
        decoded.read(part, this::take, exchange.stream().source());
    }

    private void take(Input part) throws Refusal {
        if (collected == null)
            collected = new CollectedBody(body.most(), exchange.stream().source());
        collected.take(part, exchange.stream().source());
    }

    /// @throws Refusal when it is too large while memory is tight
    void checkMemory() throws Refusal {
        if (collected != null) collected.checkMemory(exchange.stream().source());
    }

    @Override
    public DecodedBody decoded() {
        return decoded;
    }

    @Override
    public void end() {
        var request = exchange.request();
        var whole = collected;
        if (whole == null) {
            request.received().is(LoopInput.of(Bytes.EMPTY), request.trailers());
            answer();
            return;
        }
        try {
            request.received().is(whole.whole(exchange.stream().source()), request.trailers());
            answer();
        } finally {
            release();
        }
    }

    /// The body is a value now.
    void answer() {
        exchange.answer(PartialAnswer.called(exchange, body));
    }

    @Override
    public void abort() {
        decoded.release(exchange.stream().source());
        release();
    }

    private void release() {
        if (collected != null) collected.release(exchange.stream().source());
    }
}
