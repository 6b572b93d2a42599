package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.BodyDuplex;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;
import io.millrace.memory.LoopInput;
import io.millrace.net.Reset;
import org.jspecify.annotations.Nullable;

/// Who gets the body of a request as it arrives.
sealed interface BodyConsumer
        permits BodyConsumer.Collecting,
                BodyConsumer.Reading,
                BodyConsumer.Parking,
                BodyConsumer.Answering,
                RelayedResponse {
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

    /// Whether it goes on being read.
    default boolean hasRoom() {
        return true;
    }

    /// Whether anybody has asked for it yet.
    default boolean isWanted() {
        return true;
    }

    /// Makes a value of it, for a handler that is called then.
    final class Collecting implements BodyConsumer {
        private final ServerExchange exchange;
        private final Body.Collecting body;
        private final DecodedBody decoded;

        /// Once some of it has arrived.
        private @Nullable CollectedBody collected;

        Collecting(ServerExchange exchange, Body.Collecting body) {
            this.exchange = exchange;
            this.body = body;
            this.decoded = exchange.decoded();
        }

        /// Whether it is what arrives.
        @SuppressWarnings("ReferenceEquality") // the object itself
        boolean isPlain() {
            return decoded == DecodedBody.PLAIN;
        }

        @Override
        public void begin() {}

        @Override
        public void read(Input part) throws Exception {
            decoded.read(part, this::take, exchange.stream().source());
        }

        private void take(Input part) throws Refusal {
            if (collected == null)
                collected = new CollectedBody(body.most(), exchange.stream().source());
            collected.take(part, exchange.stream().source());
        }

        /// @throws Refusal when it is too much of it while memory is tight
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
                request.body(LoopInput.of(Bytes.EMPTY), request.trailers());
                answer();
                return;
            }
            try {
                request.body(whole.whole(exchange.stream().source()), request.trailers());
                answer();
            } finally {
                release();
            }
        }

        /// It is a value.
        void answer() {
            exchange.answer(exchange.called(body));
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

    /// Has it waited for by a thread, which answers as it likes.
    final class Parking implements BodyConsumer {
        private final ServerExchange exchange;
        private final BodyPipe to;
        private final DecodedBody decoded;

        Parking(ServerExchange exchange, BodyPipe to) {
            this.exchange = exchange;
            this.to = to;
            this.decoded = exchange.decoded();
        }

        @Override
        public void begin() {}

        @Override
        public void read(Input part) throws Exception {
            decoded.read(part, this::pass, exchange.stream().source());
        }

        private void pass(Input part) {
            to.put(part, exchange.stream().source());
        }

        @Override
        public boolean hasRoom() {
            return !to.isFull();
        }

        @Override
        public DecodedBody decoded() {
            return decoded;
        }

        @Override
        public void end() {
            to.end(exchange.request().trailers());
        }

        @Override
        public void abort() {
            decoded.release(exchange.stream().source());
            to.fail(new Reset("the body of the request is not complete"));
        }
    }

    /// Answers when it has read everything.
    final class Reading implements BodyConsumer {
        private final ServerExchange exchange;
        private final Body.Reading body;
        private final DecodedBody decoded;

        Reading(ServerExchange exchange, Body.Reading body) {
            this.exchange = exchange;
            this.body = body;
            this.decoded = exchange.decoded();
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
