package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.BlockingBody;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.memory.LoopInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The body of a [ReceivedRequest]: a value, or still to come. For the thread that has the exchange, or one
/// that waits for the body.
public final class ReceivedBody {
    static final Input NOTHING = LoopInput.of(Bytes.EMPTY);

    private final ReceivedRequest request;

    private Input whole = NOTHING;
    private Headers trailers = Headers.EMPTY;
    private boolean isToCome;
    private boolean isDecoded;
    private boolean isKept;

    /// The source of a body to come; an [AwaitedBody] once a thread waits for it.
    private volatile @Nullable BodySource source;

    ReceivedBody(ReceivedRequest request) {
        this.request = request;
    }

    // For handlers.

    Input whole() {
        if (isToCome) awaitWhole();
        return whole;
    }

    private void awaitWhole() {
        var awaited = await();
        var all = new ByteArrayOutputStream();
        try {
            while (awaited.read()) {
                var part = awaited.input();
                if (all.size() + part.remaining() > awaited.mostAwaitedBytes())
                    throw tooLong(awaited.mostAwaitedBytes());
                all.writeBytes(part.readBytes(part.remaining()).toArray());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        is(LoopInput.of(Bytes.of(all.toByteArray())), awaited.trailers());
    }

    private HttpError tooLong(long most) {
        var why = "a body of more than " + most;
        HttpGuards.BODY.acted(request.remote(), why);
        return new HttpError(413, why);
    }

    BlockingBody blocking() {
        return isToCome ? await() : new ValueBody(request);
    }

    private AwaitedBody await() {
        var from = source;
        var opened = from == null ? Optional.<AwaitedBody>empty() : from.await();
        var awaited = opened.orElseThrow(this::toCome);
        source = awaited;
        // A concurrent end sees this thread, or is seen here.
        request.checkNotOver();
        return awaited;
    }

    private IllegalStateException toCome() {
        return new IllegalStateException("the body of " + request + " is not a value, it arrives in parts: put the"
                + " handler into Http.whole(limit, …), or answer with Response.reading(…)");
    }

    Headers trailers() {
        return trailers;
    }

    boolean isToCome() {
        return isToCome;
    }

    boolean isDecoded() {
        return isDecoded;
    }

    @Nullable
    AwaitedBody awaited() {
        return source instanceof AwaitedBody awaited ? awaited : null;
    }

    void keep() {
        if (isToCome || isKept || whole.isEmpty()) return;
        isKept = true;
        whole = LoopInput.of(whole.readBytes(whole.remaining()));
    }

    // For filters.

    /// The body is a value, and this is its decoded form.
    public void showDecoded(Input decoded) {
        request.checkNotOver();
        whole = decoded;
        isDecoded = true;
    }

    /// The body is decoded as it arrives; before it is read.
    public void decode(BodyDecoding how) {
        request.checkNotOver();
        var from = source;
        if (from == null) throw new IllegalStateException("a request without a body that is to come");
        from.decode(how);
        isDecoded = true;
    }

    // For the exchange.

    /// The body follows.
    public void follows(BodySource from) {
        isToCome = true;
        source = from;
    }

    /// The body is a value.
    public void is(Input value, Headers behind) {
        isToCome = false;
        whole = value;
        trailers = behind;
    }

    /// The trailers of a body that was read as it arrived.
    public void trailers(Headers behind) {
        trailers = behind;
    }

    /// The handler has returned; the rest of the body is gone.
    public void isOver(Input notLent) {
        if (!isKept) whole = notLent;
    }

    void expire() {
        whole = NOTHING;
        VarHandle.fullFence();
        var waited = awaited();
        if (waited != null) waited.over();
    }
}
