package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerExchange.Demand;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.loop.Guard;
import io.millrace.memory.LoopInput;
import org.jspecify.annotations.Nullable;

/// The half of a [ServerExchange] that takes the body of its request.
///
/// ```
///   head ─┬─ all of it has arrived ──────────────────────────────────► handler
///         ├─ collected until it is whole ────────────────────────────► handler
///         └─ handler, which wants it as it arrives ─ BodyConsumer ─► answers at its end, or meanwhile
/// ```
final class BodyReceiver {
    private final ServerExchange exchange;
    private final ServerStream stream;
    private final Serving serving;

    /// While it is collected.
    private @Nullable CollectedBody collected;

    /// Who gets the body as it arrives.
    private @Nullable BodyConsumer consumer;

    private boolean isStreaming;
    private boolean isPending;
    private boolean isContinueDue;
    private long received;

    /// What has arrived and was left for later.
    private long unread;

    BodyReceiver(ServerExchange exchange, ServerStream stream, Serving serving) {
        this.exchange = exchange;
        this.stream = stream;
        this.serving = serving;
    }

    /// A head has been read that announces a body.
    ///
    /// @return whether it is collected
    boolean announce(ReceivedRequest request, long length, boolean awaitsContinue) throws Refusal {
        isContinueDue = awaitsContinue;
        isStreaming = serving.handler().isStreaming(request);
        if (!isStreaming && length > serving.limits().bodyBytes()) {
            throw new Refusal(413, "a body of " + length + " bytes", Guard.HTTP_BODY);
        }
        return !isStreaming;
    }

    /// All of the body is in the input already, which is most of the time.
    void whole(LoopInput in) {
        var request = exchange.request();
        exchange.received(in.remaining());
        try {
            request.body(in, Headers.EMPTY);
            exchange.answer(exchange.call());
        } finally {
            if (exchange.isResponding()) request.bodyIsOver(new LoopInput(stream.source()));
            in.skip(in.remaining());
        }
    }

    void follow() {
        var request = exchange.request();
        isPending = true;
        received = 0;
        unread = 0;
        if (isStreaming) request.bodyFollows();
        request.keep();
        if (isStreaming) {
            exchange.answer(exchange.call());
        } else {
            collected = new CollectedBody(serving.limits().bodyBytes(), stream.source());
            sendContinue();
        }
    }

    Demand demand() {
        if (!isPending) return Demand.NONE;
        if (consumer instanceof RelayedResponse relayed) {
            // The peer waits to be asked, and is not slow.
            if (isContinueDue) return Demand.NONE;
            return relayed.hasRoom() ? Demand.WANTED : Demand.FULL;
        }
        return collected != null || consumer != null ? Demand.WANTED : Demand.NONE;
    }

    /// The body is wanted, and the peer may be waiting to hear so.
    private void sendContinue() {
        if (isContinueDue) stream.interim(100, Headers.EMPTY);
        isContinueDue = false;
    }

    /// More of it has arrived.
    void take(Input part) throws Exception {
        received += part.remaining() - unread;
        try {
            if (collected != null) collected.take(part, stream.source());
            else if (consumer != null) consumer.read(part);
            else throw new IllegalStateException("a body that nobody reads yet");
        } finally {
            unread = part.remaining();
        }
    }

    /// There is more to come of a body that has not ended.
    ///
    /// @throws Refusal when it is collected while memory is tight, and has much of it already
    void checkMemory() throws Refusal {
        if (collected != null) collected.checkMemory(stream.source());
    }

    void ended(Headers trailers) throws Exception {
        exchange.received(received);
        isPending = false;
        var whole = collected;
        var reader = consumer;
        collected = null;
        consumer = null;
        if (whole != null) answerWithWhole(whole, trailers);
        else if (reader != null) end(reader, trailers);
    }

    private void answerWithWhole(CollectedBody whole, Headers trailers) {
        try {
            exchange.request().body(whole.whole(stream.source()), trailers);
            exchange.answer(exchange.call());
        } finally {
            whole.release(stream.source());
        }
    }

    /// What is encoded may turn out to be incomplete, and then its reader does not hear of an end.
    private void end(BodyConsumer reader, Headers trailers) throws Exception {
        exchange.request().trailers(trailers);
        try {
            reader.decoded().end(stream.source());
        } catch (Exception e) {
            reader.abort();
            throw e;
        }
        reader.end();
    }

    /// The handler has answered with somebody who wants the body as it arrives.
    void handTo(BodyConsumer reader) {
        consumer = reader;
        try {
            if (isPending) sendContinue();
            reader.begin();
            if (!isPending) readAtOnce(reader);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    /// It was there as a whole, or there is none.
    private void readAtOnce(BodyConsumer reader) throws Exception {
        var whole = exchange.request().body();
        if (!((LoopInput) whole).isLent()) {
            throw new IllegalStateException("the body of this request was lent until its handler returned, and that is"
                    + " over: make the handler streaming");
        }
        if (!whole.isEmpty()) reader.read(whole);
        if (!whole.isEmpty()) throw new IllegalStateException("the end of a request's body was left unread");
        consumer = null;
        end(reader, exchange.request().trailers());
    }

    /// The response comes from elsewhere, where the body goes as it arrives.
    void relayTo(RelayedResponse relayed) {
        if (isPending) consumer = relayed;
    }

    boolean isRelayed() {
        return consumer instanceof RelayedResponse;
    }

    /// Somebody may have asked for the body.
    void goOn() {
        if (isContinueDue && consumer instanceof RelayedResponse relayed && relayed.isBodyWanted()) sendContinue();
    }

    /// The body will not be complete.
    void abort() {
        if (isPending) exchange.received(received);
        isPending = false;
        if (collected != null) collected.release(stream.source());
        collected = null;
        var reader = consumer;
        consumer = null;
        if (reader != null) reader.abort();
    }

    /// The response has begun: whoever waits for `100 Continue` sees that.
    void answering() {
        isContinueDue = false;
    }

    /// Whether there is a body of which some may be still to come.
    boolean isPending() {
        return isPending;
    }

    /// Bytes of it so far.
    long received() {
        return received;
    }
}
