package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.exchange.ServerExchange.Demand;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.AwaitedBody;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BodySource;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.memory.LoopInput;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The half of a [ServerExchange] that receives the request's body.
///
/// ```
///   head ─┬─ it is collected first ─► a value ─► handler
///         └─ handler, which answers with ─┬─ a collector ─► a value ─► the handler behind it
///                                         ├─ a reader, which answers at the end or meanwhile
///                                         ├─ nothing yet, while a thread waits for the body
///                                         └─ a response: the rest of the body is dropped
/// ```
final class BodyReceiver implements BodySource {
    private final ServerExchange exchange;
    private final ServerStream stream;
    private final HttpLimits limits;

    /// Consumes the body as it arrives.
    private @Nullable BodyConsumer consumer;

    /// A thread that waits for the body, and has not been noticed yet. Written by any thread.
    private volatile @Nullable ParkedBody wanted;

    /// Some of the body may be still to come.
    private boolean isPending;

    private boolean isContinueDue;
    private Optional<BodyDecoding> decoding = Optional.empty();
    private long length;
    private long received;

    /// Bytes that have arrived and were left for later.
    private long unread;

    /// The rate at which it arrives; made for the first body that is not there at once.
    private @Nullable BodyRate rate;

    BodyReceiver(ServerExchange exchange, ServerStream stream, HttpLimits limits) {
        this.exchange = exchange;
        this.stream = stream;
        this.limits = limits;
    }

    /// The head that has been read announces a body, which has not been read yet.
    void announce(ReceivedRequest request, long announced, boolean awaitsContinue) {
        isPending = true;
        isContinueDue = awaitsContinue;
        length = announced;
        received = 0;
        unread = 0;
        decoding = Optional.empty();
        request.received().follows(this);
    }

    @Override
    public Optional<AwaitedBody> await() {
        boolean mayWait = Thread.currentThread().isVirtual() && (stream.mayLeaveCall() || !stream.isInCall());
        return mayWait ? Optional.of(new ParkedBody(exchange, this)) : Optional.empty();
    }

    @Override
    public void decode(BodyDecoding how) {
        decoding = Optional.of(how);
    }

    @Override
    public long mostAwaitedBytes() {
        return limits.bodyBytes();
    }

    /// The decoder between the body and its reader.
    DecodedBody decoded() {
        return DecodedBody.of(decoding, stream.source());
    }

    // Consumers.

    /// Collects the body for a handler that is called then.
    void collect(Body.Collecting wanted) {
        if (length > wanted.most()) {
            exchange.refuse(
                    new Refusal(413, "a body of " + length + " bytes, at most " + wanted.most(), HttpGuards.BODY), "");
            return;
        }
        handTo(new CollectingConsumer(exchange, wanted));
    }

    /// The body is wanted as it arrives.
    void handTo(BodyConsumer reader) {
        if (consumer != null) {
            exchange.broke(new IllegalStateException("a thread reads the body of this request already"));
            return;
        }
        consumer = reader;
        try {
            if (isPending) sendContinue();
            reader.begin();
            if (!isPending) readAtOnce(reader);
        } catch (Exception e) {
            exchange.broke(e);
        }
    }

    /// The body is a value, or there is none.
    private void readAtOnce(BodyConsumer reader) throws Exception {
        var whole = exchange.request().body();
        if (!((LoopInput) whole).isLent()) {
            throw new IllegalStateException("the body of this request was lent until its handler returned: answer with"
                    + " its reader at once");
        }
        if (!whole.isEmpty()) reader.read(whole);
        if (!whole.isEmpty()) throw new IllegalStateException("the end of a request's body was left unread");
        consumer = null;
        end(reader, exchange.request().trailers());
    }

    /// The response comes from elsewhere; the body goes there as it arrives, if it is wanted.
    void relayTo(Optional<BodyPipe> elsewhere) {
        var passing = new PipingConsumer(exchange, elsewhere.orElseGet(this::nowhere), true);
        if (isPending && exchange.request().awaited() == null) consumer = passing;
        else passing.abort();
    }

    /// Drops the body.
    private BodyPipe nowhere() {
        var closed = new BodyPipe(stream.loop(), () -> {});
        closed.onClose();
        return closed;
    }

    boolean isRelayed() {
        return consumer != null && consumer.outlastsHead();
    }

    /// A thread waits for the body, and has the exchange called. Any thread.
    void want(ParkedBody waiting) {
        wanted = waiting;
    }

    /// The wait has taken too long.
    @SuppressWarnings("ReferenceEquality") // the object itself
    void giveUp(ParkedBody waiting) {
        if (wanted != waiting) return;
        wanted = null;
        waiting.isOver("the handler waits for a thread that waits for the body, and has not returned for 10 s: answer"
                + " with Response.later(…)");
    }

    @SuppressWarnings("ReferenceEquality") // the object itself
    private void bringTo(ParkedBody waiting) {
        wanted = null;
        waiting.isNoticed();
        boolean isItsOwn = exchange.request().awaited() == waiting;
        if (isItsOwn && isPending && consumer == null) handTo(new PipingConsumer(exchange, waiting.pipe(), false));
        else waiting.over();
    }

    /// The body is wanted, and the peer may be waiting for `100 Continue`.
    void sendContinue() {
        if (isContinueDue) stream.interim(100, Headers.EMPTY);
        isContinueDue = false;
    }

    /// A thread may have asked for the body.
    void goOn() {
        var waiting = wanted;
        if (waiting != null) bringTo(waiting);
        if (isContinueDue && consumer != null && consumer.isWanted()) sendContinue();
    }

    /// The response has begun: a peer that waits for `100 Continue` notices.
    void answering() {
        isContinueDue = false;
    }

    // Arrival.

    Demand demand() {
        // A peer that waits for `100 Continue` is not slow.
        if (!isPending || consumer == null || isContinueDue) return Demand.NONE;
        return consumer.hasRoom() ? Demand.WANTED : Demand.FULL;
    }

    /// Whether the whole body may be lent from the input, if it is there.
    boolean takesWhole() {
        return received == 0 && consumer instanceof CollectingConsumer collecting && collecting.isPlain();
    }

    /// The whole body is there, which is the usual case.
    void whole(LoopInput in) {
        if (!takesWhole() || !(consumer instanceof CollectingConsumer collecting))
            throw new IllegalStateException("a body that is not collected, or has come in part");
        var request = exchange.request();
        consumer = null;
        isPending = false;
        exchange.received(in.remaining());
        try {
            request.received().is(in, Headers.EMPTY);
            collecting.answer();
        } finally {
            if (exchange.isResponding()) request.received().isOver(new LoopInput(stream.source()));
            in.skip(in.remaining());
        }
    }

    /// More of it has arrived.
    void take(Input part) throws Exception {
        received += part.remaining() - unread;
        try {
            if (consumer == null) throw new IllegalStateException("a body without a reader");
            consumer.read(part);
        } finally {
            unread = part.remaining();
        }
    }

    /// More of an unfinished body is to come.
    ///
    /// @throws Refusal if it is being collected while memory is tight, and has much of it already
    void checkMemory() throws Refusal {
        if (consumer instanceof CollectingConsumer collecting) collecting.checkMemory();
    }

    void ended(Headers trailers) throws Exception {
        exchange.received(received);
        isPending = false;
        var reader = consumer;
        consumer = null;
        if (reader != null) end(reader, trailers);
    }

    /// An encoded body may turn out to be incomplete; then its reader gets no end.
    private void end(BodyConsumer reader, Headers trailers) throws Exception {
        exchange.request().received().trailers(trailers);
        try {
            reader.decoded().end(stream.source());
        } catch (Exception e) {
            reader.abort();
            throw e;
        }
        reader.end();
    }

    /// The body will not be complete, or the rest is not wanted.
    void abort() {
        if (isPending) exchange.received(received);
        isPending = false;
        var reader = consumer;
        consumer = null;
        if (reader != null) reader.abort();
        var waiting = wanted;
        wanted = null;
        if (waiting != null) waiting.over();
    }

    boolean isPending() {
        return isPending;
    }

    // Rate.

    /// After each call: whether more is expected may have changed.
    void watch() {
        var reader = consumer;
        boolean isAwaited = exchange.demand() == Demand.WANTED && reader != null && !reader.mayPause();
        if (isAwaited && rate == null) rate = new BodyRate(stream, limits);
        if (rate == null) return;
        if (isAwaited) rate.body(received);
        else rate.rest();
    }

    boolean isTooSlow() {
        return rate != null && rate.isTooSlow();
    }

    /// There is no exchange, and nothing is expected.
    void rest() {
        if (rate != null) rate.rest();
    }

    /// There will be no further body.
    void close() {
        if (rate != null) rate.end();
        rate = null;
    }
}
