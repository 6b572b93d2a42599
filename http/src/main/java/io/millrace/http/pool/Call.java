package io.millrace.http.pool;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientExchange;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.net.Guard;
import io.millrace.net.Loop;
import io.millrace.net.Overloaded;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A caller's request, from its beginning until there is a response, or none is possible: it may wait for a
/// connection, and use a second one.
public final class Call<T> extends ClientCall<T> implements Caller {
    /// A server may refuse each stream.
    private static final int MOST_REPETITIONS = 3;

    /// Within this time of a request the end of a connection arrives that was closed before it, also if it is lost
    /// once.
    private static final long STALE_NANOS = 2_000_000_000;

    private final OutgoingRequest request;
    private final Destination destination;
    private final LoopPools pools;
    private final ResponseReader<T> reader;
    private final CallLimits limits;

    /// Whether the caller decides what is repeated, and where.
    private final boolean isPassedOn;

    // For the loop.

    private Loop.@Nullable Timer timer;
    private Loop.@Nullable Timer headTimer;
    private @Nullable ClientExchange exchange;
    private boolean isOver;
    private boolean wasSent;
    private long sentNanos;
    private boolean wasStale;
    private boolean wasRefused;
    private boolean fallsBack;
    private int repetitions;
    private boolean wasServersTurn;
    private boolean wantsHttp2;

    Call(
            OutgoingRequest request,
            Destination destination,
            LoopPools pools,
            ResponseReader<T> reader,
            CallLimits limits,
            boolean isPassedOn) {
        this.request = request;
        this.destination = destination;
        this.pools = pools;
        this.reader = reader;
        this.limits = limits;
        this.isPassedOn = isPassedOn;
    }

    // For the caller.

    @Override
    public CompletableFuture<T> begin() {
        pools.callBegan();
        if (!execute(this::submit)) {
            pools.callEnded();
            request.over();
            result.fail(new Reset("the event loops of this client are closed"));
        }
        return result;
    }

    // For the loop.

    private void submit() {
        // It was given up before it began.
        if (isOver) return;
        timer = after(limits.wholeNanos(), "no complete response to ", HttpGuards.CLIENT_TIMEOUT);
        headTimer = after(limits.headNanos(), "no response to ", HttpGuards.CLIENT_HEAD_TIMEOUT);
        pools.submit(destination, this);
    }

    private Loop.@Nullable Timer after(long nanos, String what, Guard guard) {
        if (nanos == 0) return null;
        return pools.loop().after(Duration.ofNanos(nanos), () -> expired(nanos, what, guard));
    }

    private void expired(long nanos, String what, Guard guard) {
        if (isOver) return;
        var detail = what + request + " within " + nanos / 1_000_000 + " ms"
                + (exchange == null ? ", nor a connection" : "") + " (" + guard.name() + ")";
        guard.acted(destination.address(), detail);
        drop(isPassedOn && isWaiting() ? new Overloaded(detail) : new TimedOut(detail));
    }

    /// For a connection: no server has made it wait.
    private boolean isWaiting() {
        return exchange == null && pools.isWaiting(destination, this);
    }

    @Override
    public void giveUp() {
        drop(givenUp());
    }

    /// There will be no response, for this reason; on the loop.
    void drop(IOException cause) {
        if (isOver) return;
        var carrier = exchange;
        if (carrier != null) carrier.drop(cause);
        else pools.forget(destination, this);
        failed(cause);
    }

    @Override
    public void pause() {
        if (exchange != null) exchange.pause();
    }

    @Override
    public void resume() {
        if (exchange != null) exchange.resume();
    }

    @Override
    public OutgoingRequest request() {
        return request;
    }

    @Override
    public void begun(ClientExchange carrier) {
        exchange = carrier;
        wasSent = true;
        sentNanos = loop().nowNanos();
        wasStale = false;
        wasRefused = false;
        fallsBack = false;
    }

    /// Whether a connection has carried it, successfully or not; on the loop, also when it is over.
    public boolean wasSent() {
        return wasSent;
    }

    /// Whether it ended with a connection that may have been closed before the request was sent.
    public boolean wasStale() {
        return wasStale;
    }

    /// Whether the server has said that it did not process the request: it may be sent again, whatever it is.
    public boolean wasRefused() {
        return wasRefused;
    }

    /// Whether it was the server's turn when it failed, and not that of the request's sender or the
    /// response's reader.
    public boolean wasServersTurn() {
        return wasServersTurn;
    }

    /// Whether the server speaks HTTP/2, and not HTTP/1.1, which it was asked in.
    public boolean wantsHttp2() {
        return wantsHttp2;
    }

    @Override
    public EventLoop loop() {
        return pools.loop();
    }

    @Override
    List<EventLoop> loops() {
        return List.of(loop());
    }

    Destination destination() {
        return destination;
    }

    @Override
    public void interim(Response head) throws Exception {
        reader.onInterim(head);
    }

    @Override
    public Optional<String> upgradeRefusal(Headers answer) {
        var asked = reader instanceof UpgradeReader<T> mine ? mine.handshake() : Optional.<Handshake>empty();
        return asked.isPresent() ? asked.get().refusal(answer) : Caller.super.upgradeRefusal(answer);
    }

    @Override
    public boolean wantsNew() {
        return reader instanceof UpgradeReader<T> mine && mine.wantsNewConnection();
    }

    @Override
    public void refused() {
        wasRefused = true;
    }

    @Override
    public boolean failsOnStaleConnection() {
        // Later, the server had the request, if it was its turn, and has died of it, or with it.
        boolean wasTheirs = exchange != null && exchange.isServersTurn();
        wasStale = wasRefused || !wasTheirs || loop().nowNanos() - sentNanos < STALE_NANOS;
        // In another version, the same server is meant.
        boolean isForOthers = isPassedOn && !fallsBack;
        return isForOthers || ++repetitions > MOST_REPETITIONS;
    }

    @Override
    public void givenBack() {
        exchange = null;
    }

    @Override
    public void fallsBack() {
        fallsBack = true;
    }

    @Override
    public void speaksOnlyHttp2() {
        wantsHttp2 = true;
    }

    @Override
    public void offersNoUpgrade() {
        if (reader instanceof UpgradeReader<T> mine) mine.onNoUpgrade();
    }

    @Override
    public void upgraded(Upgraded to) {
        cancelTimers();
        if (reader instanceof UpgradeReader<T> mine) mine.onUpgrade(to);
    }

    @Override
    public void head(Response head) throws Exception {
        if (headTimer != null) headTimer.cancel();
        reader.onHead(head);
    }

    @Override
    public void body(Input part) throws Exception {
        reader.onBody(part);
    }

    @Override
    public void trailers(Headers trailers) throws Exception {
        reader.onTrailers(trailers);
    }

    @Override
    public void end() {
        // The timeout was first, though the end had arrived.
        if (isOver) return;
        T value;
        try {
            value = reader.onEnd();
        } catch (Throwable e) {
            over();
            result.fail(e);
            if (e instanceof Error error) throw error;
            return;
        }
        over();
        result.succeed(value);
    }

    @Override
    public void failed(Throwable cause) {
        if (isOver) return;
        over();
        try {
            reader.onAbort();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        } finally {
            result.fail(cause);
        }
    }

    private void over() {
        isOver = true;
        if (exchange != null) wasServersTurn = exchange.isServersTurn();
        exchange = null;
        cancelTimers();
        request.over();
        // Before the caller can send another request.
        pools.callEnded();
    }

    private void cancelTimers() {
        if (timer != null) timer.cancel();
        if (headTimer != null) headTimer.cancel();
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public String toString() {
        return request.toString();
    }
}
