package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.BodyDuplex;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;

/// A response that is written while the request's body is read, by the same code.
final class DuplexResponse implements BodyConsumer, PendingResponse {
    private final ServerExchange exchange;
    private final BuiltResponse answer;
    private final BodyDuplex duplex;
    private final long wireLength;
    private final OutgoingBody body;
    private final DecodedBody decoded;

    DuplexResponse(ServerExchange exchange, BuiltResponse answer, Body.Duplex duplex) {
        this.exchange = exchange;
        this.answer = answer;
        this.duplex = duplex.duplex();
        this.wireLength = duplex.encoding().isPresent() ? Body.UNKNOWN : duplex.length();
        this.body = new OutgoingBody(exchange.stream(), exchange.hasBody(answer), duplex.length(), duplex.encoding());
        this.decoded = exchange.decoded();
    }

    @Override
    public void begin() {
        exchange.head(answer, wireLength);
        exchange.pendsOn(this);
    }

    @Override
    public void read(Input part) throws Exception {
        decoded.read(part, this::answer, exchange.stream().source());
        // The peer may be waiting for the answer to what it sent.
        body.flush();
    }

    private void answer(Input part) throws Exception {
        duplex.onBody(part, body.part());
        body.send();
    }

    /// While the peer does not take the response, no more of its request is read.
    @Override
    public boolean hasRoom() {
        return !exchange.stream().isFull();
    }

    @Override
    public DecodedBody decoded() {
        return decoded;
    }

    @Override
    public void end() throws Exception {
        duplex.onEnd(body.part());
        body.send();
        body.end();
        close();
        exchange.complete();
    }

    @Override
    public void abort() {
        close();
        Callbacks.tell(duplex::onAbort);
    }

    /// The request's body drives it.
    @Override
    public void go() {}

    @Override
    public void breakOff() {
        close();
    }

    private void close() {
        decoded.release(exchange.stream().source());
        body.release();
    }

    @Override
    public long sent() {
        return body.sent();
    }
}
