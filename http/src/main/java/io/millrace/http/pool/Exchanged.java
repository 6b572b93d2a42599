package io.millrace.http.pool;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopInput;
import io.millrace.net.Loop;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// One request of a call that goes through filters, and its response, which is held after its head until the
/// filters decide whether it is the answer. On its loop, unless noted otherwise.
///
/// ```
///   ASKED ── head ──► HELD ── it is the answer ──► CHOSEN   the reader gets it
///     │                └───── another is sent ───► LEFT     a short rest is read to keep the connection,
///     └─ another is sent, or nothing comes ──────► LEFT     a longer one is dropped
/// ```
final class Exchanged<T> implements UpgradeReader<Boolean> {
    private static final byte[] NONE = {};

    private enum State {
        ASKED,
        HELD,
        CHOSEN,
        LEFT
    }

    private final FilteredCall<T> owner;
    private final Call<Boolean> call;
    private final CompletableFuture<Response> head = new CompletableFuture<>();

    private State state = State.ASKED;

    /// Bytes that came before the choice, then those that the reader left of them.
    private byte[] held = NONE;

    private Headers trailers = Headers.EMPTY;

    /// The server has changed the protocol.
    private @Nullable Upgraded upgraded;

    private boolean hasEnded;
    private @Nullable Throwable failure;
    private boolean isPausedByReader;
    private long skipped;
    private Loop.@Nullable Timer leftTimer;

    /// An exchange that has not begun.
    ///
    /// @throws IllegalArgumentException for a request that must not be sent
    Exchanged(FilteredCall<T> owner, ClientPools pools, BuiltRequest request) {
        this.owner = owner;
        this.call = pools.call(request, this);
    }

    // Any thread.

    /// Sends it; the stage gets the head.
    CompletionStage<Response> begin() {
        var _ = call.begin().whenComplete((_, why) -> over(why));
        return head;
    }

    EventLoop loop() {
        return call.loop();
    }

    boolean isOf(Object body) {
        return body instanceof ArrivingBody(var source) && source.equals(this);
    }

    void giveUp() {
        onLoop(call::giveUp);
    }

    /// It is not the answer; another is sent instead.
    void leave() {
        onLoop(this::left);
    }

    /// This is the answer.
    ///
    /// @param shown the head as changed by the filters
    void choose(Response shown) {
        if (!onLoop(() -> chosen(shown))) owner.loopEnded();
    }

    /// Now, where it may be: what is sent next is not to wait for a turn.
    ///
    /// @return false when the loop is gone, and all that there was to do with it
    private boolean onLoop(Runnable task) {
        if (!loop().inLoop()) return call.execute(task);
        loop().doHere(task);
        return true;
    }

    // For filters.

    private void left() {
        boolean hasHead = state == State.HELD;
        state = State.LEFT;
        held = NONE;
        if (upgraded != null) upgraded.abort();
        if (call.isOver()) return;
        if (!hasHead) {
            call.giveUp();
            return;
        }
        leftTimer = loop().after(PulledBody.LEFT_TIME, call::giveUp);
        call.resume();
    }

    private void chosen(Response shown) {
        if (state != State.HELD || owner.isOver()) return;
        state = State.CHOSEN;
        try {
            if (failure != null) throw failure;
            if (upgraded != null) {
                owner.upgrades(upgraded);
                return;
            }
            owner.reader().onHead(BuiltResponse.received(shown.status(), shown.headers(), Bytes.EMPTY));
            if (held.length > 0) offer(held);
            if (trailers.size() > 0) owner.reader().onTrailers(trailers);
            if (hasEnded) tellEnd();
            else if (!isPausedByReader) call.resume();
        } catch (Throwable e) {
            owner.fail(e);
        }
    }

    // For the reader.

    void pause() {
        isPausedByReader = true;
        call.pause();
    }

    void resume() {
        isPausedByReader = false;
        call.resume();
    }

    private void offer(byte[] bytes) throws Exception {
        var in = LoopInput.of(Bytes.of(bytes));
        owner.reader().onBody(in);
        held = new byte[(int) in.remaining()];
        in.read(held, 0, held.length);
        if (held.length > PulledBody.LEFT_BYTES)
            throw new IllegalStateException("a reader leaves " + held.length + " bytes of a response unread");
    }

    private static byte[] joined(byte[] first, Input part) {
        int count = (int) part.remaining();
        var all = Arrays.copyOf(first, first.length + count);
        part.read(all, first.length, count);
        return all;
    }

    private void tellEnd() throws Exception {
        if (held.length > 0)
            throw new IllegalStateException("the end of a response's body was left unread: read all of it, or skip it");
        if (owner.isFirstToTell()) owner.succeed(owner.reader().onEnd());
    }

    // For the call.

    @Override
    public Optional<Handshake> handshake() {
        return owner.handshake();
    }

    @Override
    public boolean wantsNewConnection() {
        return owner.reader() instanceof UpgradeReader<T> asking && asking.wantsNewConnection();
    }

    @Override
    public void onNoUpgrade() {
        if (owner.reader() instanceof UpgradeReader<T> asking) asking.onNoUpgrade();
    }

    /// Filters see its head; the connection is paused until they have decided.
    @Override
    public void onUpgrade(Upgraded to) {
        if (state != State.ASKED) {
            to.abort();
            return;
        }
        state = State.HELD;
        upgraded = to;
        var arriving = new Body.Pushed(new ArrivingBody(this), Body.UNKNOWN);
        head.complete(
                BuiltResponse.received(to.status(), to.headers(), Bytes.EMPTY).with(to.headers(), arriving));
    }

    @Override
    public void onInterim(Response found) throws Exception {
        if (state == State.ASKED && !owner.isOver()) owner.reader().onInterim(found);
    }

    @Override
    public void onHead(Response found) {
        if (state != State.ASKED) return;
        state = State.HELD;
        var arriving = new Body.Pushed(new ArrivingBody(this), Body.UNKNOWN);
        // Most filters decide at once.
        head.complete(BuiltResponse.from(found).with(found.headers(), arriving));
        if (state == State.HELD) call.pause();
    }

    @Override
    public void onBody(Input part) throws Exception {
        switch (state) {
            case CHOSEN -> {
                if (held.length == 0) owner.reader().onBody(part);
                else offer(joined(held, part));
            }
            case HELD -> held = joined(held, part);
            case LEFT, ASKED -> skip(part);
        }
    }

    private void skip(Input part) {
        skipped += part.remaining();
        part.skip(part.remaining());
        if (skipped > PulledBody.LEFT_BYTES) call.giveUp();
    }

    @Override
    public void onTrailers(Headers fields) throws Exception {
        if (state == State.CHOSEN) owner.reader().onTrailers(fields);
        else trailers = fields;
    }

    @Override
    public Boolean onEnd() {
        hasEnded = true;
        return true;
    }

    @Override
    public void onAbort() {
        if (state == State.CHOSEN) owner.abortReader();
    }

    /// Its connection has been given back.
    private void over(@Nullable Throwable why) {
        if (leftTimer != null) leftTimer.cancel();
        failure = why;
        if (state == State.CHOSEN) {
            if (why == null) ended();
            else owner.fail(why);
        } else if (why != null) {
            // Nobody is to take a call that was given up for one that failed.
            head.completeExceptionally(owner.isOver() ? owner.tooLate() : why);
        }
    }

    private void ended() {
        try {
            tellEnd();
        } catch (Throwable e) {
            owner.fail(e);
        }
    }
}
