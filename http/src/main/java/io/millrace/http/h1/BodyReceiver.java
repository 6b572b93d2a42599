package io.millrace.http.h1;

import io.millrace.bytes.Overflow;
import io.millrace.http.Headers;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.h1.HttpConnection.State;
import io.millrace.loop.Guard;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import org.jspecify.annotations.Nullable;

/// The half of an [HttpConnection] that takes the bodies of requests.
///
/// ```
///   head ─┬─ all of it has arrived ───────────────────────────► handler
///         ├─ collected until it is whole ─────────────────────► handler
///         └─ handler, which wants it as it arrives ─ Reading ─► answers at its end, or meanwhile
/// ```
final class BodyReceiver {
    private static final byte[] CONTINUE = Syntax.latin1("HTTP/1.1 100 Continue\r\n\r\n");

    /// Bytes of a body that is collected while memory is tight.
    private static final long MOST_WHEN_TIGHT = 16 << 10;

    private final HttpConnection connection;
    private final HttpServing serving;
    private final LoopOutput output;

    /// Until it is complete.
    private @Nullable IncomingBody body;

    /// Who gets the body as it arrives; null when it is collected.
    private @Nullable Reading reading;

    private boolean isContinueDue;

    BodyReceiver(HttpConnection connection, HttpServing serving, LoopOutput output) {
        this.connection = connection;
        this.serving = serving;
        this.output = output;
    }

    /// A head has been read that announces a body.
    void expect(RequestHead head, ParsedRequest request, LoopInput in) throws Refusal {
        long length = head.contentLength();
        isContinueDue = head.expectsContinue() && in.isEmpty();
        boolean isStreaming;
        try {
            isStreaming = serving.handler().isStreaming(request);
        } catch (RuntimeException e) {
            connection.exchange().endKeepAlive();
            connection.answer(connection.failure(e));
            return;
        }
        if (!isStreaming && length > serving.limits().bodyBytes()) {
            throw new Refusal(413, "a body of " + length + " bytes", Guard.HTTP_BODY);
        }
        boolean isThere = !isStreaming && length != RequestHead.CHUNKED && length <= in.remaining();
        if (isThere) {
            connection.received(length);
            answerWith(request, length, in);
            return;
        }
        body = new IncomingBody(length, serving.limits());
        if (isStreaming) request.bodyFollows();
        request.keep();
        connection.state(State.BODY);
        if (isStreaming) connection.answer(connection.call(request));
        else sendContinue();
        if (connection.state() == State.BODY) read(in);
    }

    /// All of the body is in the input already, which is most of the time.
    private void answerWith(ParsedRequest request, long length, LoopInput in) {
        long hidden = in.narrow(length);
        try {
            request.body(in, Headers.EMPTY);
            connection.answer(connection.call(request));
        } finally {
            if (connection.isResponding()) request.bodyIsOver(new LoopInput(output.source()));
            in.skip(in.remaining());
            in.widen(hidden);
        }
    }

    /// The body is wanted, and the peer may be waiting to hear so.
    private void sendContinue() {
        if (isContinueDue) connection.text().put(CONTINUE);
        isContinueDue = false;
    }

    /// More of it has arrived.
    void read(LoopInput in) {
        var arriving = body;
        if (arriving == null) return;
        try {
            var reader = reading;
            boolean isComplete = reader == null
                    ? arriving.collect(in, serving.limits().bodyBytes(), output.source())
                    : arriving.feed(in, reader::read, output.source());
            if (!isComplete) {
                if (reader == null) checkMemory(arriving);
                return;
            }
            if (reader == null) answerWithWhole(arriving);
            else readerIsDone(reader);
        } catch (Refusal e) {
            connection.refuse(e);
        } catch (Overflow e) {
            // Some of a response is in the output, and nothing may follow it.
            connection.drop();
        } catch (Exception e) {
            failed(e);
        }
    }

    /// While memory is tight, it is not for those who have much of it already and do not come to an end.
    private void checkMemory(IncomingBody collected) throws Refusal {
        boolean isTooMuch =
                collected.received() > MOST_WHEN_TIGHT && output.source().isTight();
        if (isTooMuch) throw new Refusal(503, "a body to be collected while memory is tight", Guard.SLABS);
    }

    private void answerWithWhole(IncomingBody whole) {
        var request = connection.exchange().request();
        request.body(whole.whole(), whole.trailers());
        connection.received(whole.received());
        body = null;
        connection.state(State.HEAD);
        try {
            connection.answer(connection.call(request));
        } finally {
            whole.release(output.source());
        }
    }

    private void readerIsDone(Reading reader) throws Exception {
        if (body != null) connection.exchange().request().trailers(body.trailers());
        release();
        reading = null;
        connection.state(State.HEAD);
        endDecoding(reader);
        reader.end();
    }

    /// What is packed may turn out to be incomplete, and then its reader does not hear of an end.
    private void endDecoding(Reading reader) throws Exception {
        try {
            reader.unpacked().end(output.source());
        } catch (Exception e) {
            reader.abort();
            throw e;
        }
    }

    private void failed(Exception e) {
        var response = connection.failure(e);
        connection.exchange().endKeepAlive();
        abort();
        if (connection.isResponding()) connection.drop();
        else connection.answer(response);
    }

    /// The handler has answered with somebody who wants the body as it arrives.
    void handTo(Reading reader) {
        reading = reader;
        try {
            if (body != null) sendContinue();
            reader.begin();
            if (body == null) readAtOnce(reader);
            else connection.state(State.BODY);
        } catch (Exception e) {
            failed(e);
        }
    }

    /// The response comes from elsewhere, where the body goes as it arrives.
    void relayTo(RelayedResponse relaying) {
        if (body != null) reading = relaying;
    }

    boolean isRelayed() {
        return reading instanceof RelayedResponse;
    }

    /// Whether more of the body can be read.
    boolean hasRoom() {
        return !(reading instanceof RelayedResponse relaying) || relaying.hasRoom();
    }

    /// Somebody may have asked for the body.
    void goOn() {
        if (isContinueDue && reading instanceof RelayedResponse relaying && relaying.isBodyWanted()) sendContinue();
    }

    /// It was there as a whole, or there is none.
    private void readAtOnce(Reading reader) throws Exception {
        var whole = connection.exchange().request().body();
        if (!((LoopInput) whole).isLent()) {
            throw new IllegalStateException("the body of this request was lent until its handler returned, and that is"
                    + " over: make the handler streaming");
        }
        if (!whole.isEmpty()) reader.read(whole);
        if (!whole.isEmpty()) throw new IllegalStateException("the end of a request's body was left unread");
        readerIsDone(reader);
    }

    /// The response begins, and nobody wants the rest of the body, which only the end of the connection can tell.
    void leave() {
        if (body == null) return;
        connection.exchange().endKeepAlive();
        abort();
    }

    /// The body will not be complete.
    void abort() {
        release();
        var reader = reading;
        reading = null;
        if (reader != null) reader.abort();
    }

    private void release() {
        if (body == null) return;
        connection.received(body.received());
        body.release(output.source());
        body = null;
    }

    /// The response has begun: whoever waits for `100 Continue` sees that.
    void answering() {
        isContinueDue = false;
    }

    /// Whether there is a body of which some may be still to come.
    boolean isPending() {
        return body != null;
    }

    /// Whether there is more of it in the input, for another call.
    boolean isBehind() {
        return body != null && body.hasEnoughForNow();
    }

    /// Bytes of it so far.
    long received() {
        return body == null ? 0 : body.received();
    }
}
