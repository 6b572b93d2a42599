package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.BodyDuplex;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;

/// User code that gets the body of a request as it arrives.
sealed interface Reading permits Reading.Collecting, Reading.Answering, RelayedResponse {
    /// The body follows.
    void begin() throws Exception;

    /// Some of it.
    void read(Input part) throws Exception;

    /// What becomes of the body before it is read.
    DecodedBody unpacked();

    /// That was all.
    void end() throws Exception;

    /// It will not be complete; called once, instead of `end`.
    void abort();

    /// Answers when it has read everything.
    final class Collecting implements Reading {
        private final HttpConnection connection;
        private final Body.Reading body;
        private final DecodedBody unpacked;

        Collecting(HttpConnection connection, Body.Reading body) {
            this.connection = connection;
            this.body = body;
            this.unpacked = DecodedBody.of(body.decoding(), connection.output().source());
        }

        @Override
        public void begin() {}

        @Override
        public void read(Input part) throws Exception {
            unpacked.read(part, body.reader()::onBody, connection.output().source());
        }

        @Override
        public DecodedBody unpacked() {
            return unpacked;
        }

        @Override
        public void end() throws Exception {
            connection.answer(body.reader().onEnd().map(body.change()));
        }

        @Override
        public void abort() {
            unpacked.release(connection.output().source());
            Callbacks.tell(body.reader()::onAbort);
        }
    }

    /// Answers meanwhile.
    final class Answering implements Reading, PendingResponse {
        private final HttpConnection connection;
        private final BuiltResponse answer;
        private final BodyDuplex duplex;
        private final long wireLength;
        private final ResponseHead.Framing framing;
        private final OutgoingBody body;
        private final DecodedBody unpacked;

        Answering(HttpConnection connection, BuiltResponse answer, Body.Duplex duplex) {
            var exchange = connection.exchange();
            this.connection = connection;
            this.answer = answer;
            this.duplex = duplex.duplex();
            this.wireLength = duplex.encoding().isPresent() ? Body.UNKNOWN : duplex.length();
            this.framing = ResponseHead.framing(answer.status(), wireLength, exchange.isOldPeer());
            this.body = new OutgoingBody(
                    exchange.isHead() ? ResponseHead.Framing.NO_BODY : framing,
                    duplex.length(),
                    duplex.encoding(),
                    connection.output());
            this.unpacked =
                    DecodedBody.of(duplex.decoding(), connection.output().source());
        }

        @Override
        public void begin() {
            connection.begin(answer, framing, wireLength);
            connection.waitWith(this);
        }

        @Override
        public void read(Input part) throws Exception {
            unpacked.read(part, this::answer, connection.output().source());
            // Who sends may be waiting for the answer to what he sent.
            body.flush();
        }

        private void answer(Input part) throws Exception {
            duplex.onBody(part, body.part());
            body.send();
        }

        @Override
        public DecodedBody unpacked() {
            return unpacked;
        }

        @Override
        public void end() throws Exception {
            duplex.onEnd(body.part());
            body.send();
            body.end();
            close();
            connection.exchangeIsOver();
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
        public void close() {
            unpacked.release(connection.output().source());
            body.release(connection.output().source());
        }

        @Override
        public long sent() {
            return body.sent();
        }
    }
}
