package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.message.Body;
import io.millrace.http.message.Callbacks;

/// Passes a request's body to the reader that answers at its end.
final class ReadingConsumer implements BodyConsumer {
    private final ServerExchange exchange;
    private final Body.Reading body;
    private final DecodedBody decoded;

    ReadingConsumer(ServerExchange exchange, Body.Reading body) {
        this.exchange = exchange;
        this.body = body;
        this.decoded = exchange.decoded();
    }

    @Override
    public void read(Input part) throws Exception {
        decoded.read(part, body.reader()::onBody, exchange.stream().source());
    }

    @Override
    public DecodedBody decoded() {
        return decoded;
    }

    @Override
    public void end() throws Exception {
        exchange.answer(body.reader().onEnd().map(body.change()));
    }

    @Override
    public void abort() {
        decoded.release(exchange.stream().source());
        Callbacks.tell(body.reader()::onAbort);
    }
}
