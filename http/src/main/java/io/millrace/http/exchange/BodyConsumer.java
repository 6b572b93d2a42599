package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.BodyDuplex;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;

/// Who gets the body of a request as it arrives.
sealed interface BodyConsumer permits BodyConsumer.Collecting, BodyConsumer.Answering, RelayedResponse {
    /// The body follows.
    void begin() throws Exception;

    /// Some of it.
    void read(Input part) throws Exception;

    /// What becomes of the body before it is read.
    DecodedBody decoded();

    /// That was all.
    void end() throws Exception;

    /// It will not be complete; called once, instead of `end`.
    void abort();

    /// Answers when it has read everything.
    final class Collecting implements BodyConsumer {
        private final ServerExchange exchange;
        private final Body.Reading body;
        private final DecodedBody decoded;

        Collecting(ServerExchange exchange, Body.Reading body) {
            this.exchange = exchange;
            this.body = body;
            this.decoded = DecodedBody.of(body.decoding(), exchange.stream().source());
        }

        @Override
        public void begin() {}

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

    /// Answers meanwhile.
    final class Answering implements BodyConsumer, PendingResponse {
        private final ServerExchange exchange;
        private final BuiltResponse answer;
        private final BodyDuplex duplex;
        private final long wireLength;
        private final OutgoingBody body;
        private final DecodedBody decoded;

        Answering(ServerExchange exchange, BuiltResponse answer, Body.Duplex duplex) {
            this.exchange = exchange;
            this.answer = answer;
            this.duplex = duplex.duplex();
            this.wireLength = duplex.encoding().isPresent() ? Body.UNKNOWN : duplex.length();
            this.body =
                    new OutgoingBody(exchange.stream(), exchange.hasBody(answer), duplex.length(), duplex.encoding());
            this.decoded = DecodedBody.of(duplex.decoding(), exchange.stream().source());
        }

        @Override
        public void begin() {
            exchange.head(answer, wireLength);
            exchange.pendsOn(this);
        }

        @Override
        public void read(Input part) throws Exception {
            decoded.read(part, this::answer, exchange.stream().source());
            // Who sends may be waiting for the answer to what he sent.
            body.flush();
        }

        private void answer(Input part) throws Exception {
            duplex.onBody(part, body.part());
            body.send();
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

        /// It goes on with the body of the request.
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
}
