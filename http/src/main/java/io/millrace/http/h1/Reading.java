package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.BodyDuplex;
import io.millrace.http.message.Answer;
import io.millrace.http.message.Body;

/// User code that gets the body of a request as it arrives.
sealed interface Reading {
    /// The body follows.
    void begin() throws Exception;

    /// Some of it.
    void read(Input part) throws Exception;

    /// That was all.
    void end() throws Exception;

    /// It will not be complete; called once, instead of `end`.
    void abort();

    /// Answers when it has read everything.
    record Collecting(HttpConnection connection, Body.Reading body) implements Reading {
        @Override
        public void begin() {}

        @Override
        public void read(Input part) throws Exception {
            body.reader().onBody(part);
        }

        @Override
        public void end() throws Exception {
            connection.answer(body.reader().onEnd().map(body.change()));
        }

        @Override
        public void abort() {
            HttpConnection.tell(body.reader()::onAbort);
        }
    }

    /// Answers meanwhile.
    final class Answering implements Reading, Responding {
        private final HttpConnection connection;
        private final Answer answer;
        private final BodyDuplex duplex;
        private final long length;
        private final ResponseHead.Framing framing;
        private final ResponseBody body;

        Answering(HttpConnection connection, Answer answer, Body.Duplex duplex) {
            var exchange = connection.exchange();
            this.connection = connection;
            this.answer = answer;
            this.duplex = duplex.duplex();
            this.length = duplex.length();
            this.framing = ResponseHead.framing(answer.status(), length, exchange.isOldPeer());
            this.body = new ResponseBody(
                    exchange.isHead() ? ResponseHead.Framing.NO_BODY : framing, length, connection.output());
        }

        @Override
        public void begin() {
            connection.begin(answer, framing, length);
            connection.isResponding(this);
        }

        @Override
        public void read(Input part) throws Exception {
            duplex.onBody(part, body.part());
            body.send();
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
            HttpConnection.tell(duplex::onAbort);
        }

        /// It goes on with the body of the request.
        @Override
        public void go() {}

        @Override
        public void close() {
            body.release(connection.output().source());
        }
    }
}
