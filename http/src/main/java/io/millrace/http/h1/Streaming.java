package io.millrace.http.h1;

import io.millrace.http.BodyWriter;
import io.millrace.http.message.Answer;
import io.millrace.http.message.Body;

/// A response whose body user code writes as the peer takes it.
final class Streaming implements Responding {
    private final HttpConnection connection;
    private final Answer answer;
    private final BodyWriter writer;
    private final long length;
    private final ResponseHead.Framing framing;
    private final ResponseBody body;
    private boolean hasBegun;
    private boolean isClosed;

    Streaming(HttpConnection connection, Answer answer, Body.Stream stream) {
        this.connection = connection;
        this.answer = answer;
        this.writer = stream.writer();
        this.length = stream.length();
        this.framing = ResponseHead.framing(
                answer.status(), length, connection.exchange().isOldPeer());
        this.body = new ResponseBody(framing, length, connection.output());
    }

    @Override
    public void go() throws Exception {
        if (!hasBegun) {
            hasBegun = true;
            connection.begin(answer, framing, length);
        }
        try {
            write();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private void write() throws Exception {
        if (connection.exchange().isHead() || framing == ResponseHead.Framing.NO_BODY) {
            end();
            return;
        }
        while (!connection.connection().isFull()) {
            boolean hasMore = writer.write(body.part());
            long sent = body.send();
            if (!hasMore) {
                body.end();
                end();
                return;
            }
            if (sent == 0) throw new IllegalStateException("a writer said that there is more, and wrote nothing");
        }
    }

    private void end() {
        close();
        connection.exchangeIsOver();
    }

    @Override
    public void close() {
        if (isClosed) return;
        isClosed = true;
        body.release(connection.output().source());
        HttpConnection.tell(writer::onClose);
    }
}
