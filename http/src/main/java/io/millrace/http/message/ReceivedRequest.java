package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.BlockingBody;
import io.millrace.http.Headers;
import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Guard;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import io.millrace.net.Security;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request that a peer sent, whatever version of HTTP it speaks: what there is to know and to say of one that nobody
/// finds in a [Request].
public abstract non-sealed class ReceivedRequest extends Request {
    private static final Input NO_BODY = LoopInput.of(Bytes.EMPTY);

    private final Connection connection;

    /// Whom the peer serves, if it was believed.
    private @Nullable SocketAddress client;

    private boolean isSecure;

    /// Who passes it on, if somebody does.
    private @Nullable Object passedOnBy;

    private Input body = NO_BODY;
    private Headers trailers = Headers.EMPTY;

    private boolean isDecoded;

    private boolean isBodyToCome;

    /// Of a body that was to come; an [AwaitedBody] once a thread waits for it.
    private volatile @Nullable BodySource bodySource;

    private boolean isBodyKept;

    protected ReceivedRequest(Connection connection) {
        this.connection = connection;
    }

    /// What a peer sent, whatever has been changed in it on its way; empty for a request that was made here.
    public static Optional<ReceivedRequest> behind(Request request) {
        return RewrittenRequest.originalOf(request) instanceof ReceivedRequest received
                ? Optional.of(received)
                : Optional.empty();
    }

    /// Where it came from.
    public final Connection connection() {
        return connection;
    }

    /// The loop of its connection.
    public final EventLoop loop() {
        return EventLoop.of(connection.loop());
    }

    @Override
    public final SocketAddress remote() {
        var known = client;
        return known != null ? known : connection.remote();
    }

    /// The peer is believed to serve this client, which from now on is the remote one.
    public final void servedFor(SocketAddress whom) {
        client = whom;
    }

    /// TLS has ended in front of us.
    public final void wasSecure() {
        isSecure = true;
    }

    @Override
    public final boolean isSecure() {
        return isSecure || security().isPresent();
    }

    @Override
    public final Optional<Security> security() {
        return connection.security();
    }

    /// Who passes it on to another server, for those who hear of its end.
    public final void passedOnBy(Object who) {
        passedOnBy = who;
    }

    public final Optional<Object> passedOnBy() {
        return Optional.ofNullable(passedOnBy);
    }

    /// Of its body as it is shown, in bytes: 0 for none, and -1 for one of which only the end tells.
    public abstract long bodyLength();

    /// Whether it is one of HTTP/1.0.
    public abstract boolean isOld();

    /// The path as it is passed on, which may be another form of [#path].
    public abstract String sentPath();

    /// Its response takes longer than the bytes it looks at stay: from now on it has its own.
    public abstract void keep();

    /// All fields as they came, which stay as they are when the exchange is over.
    public abstract Headers keptHeaders();

    /// Has its exchange go on: what its response waits for has happened elsewhere, or somebody takes more of its body.
    /// Any thread.
    public abstract void wake();

    /// Refuses whoever comes too late.
    ///
    /// @throws IllegalStateException when the exchange is over
    protected abstract void checkNotOver();

    // Its body.

    @Override
    public final Input body() {
        checkNotOver();
        if (isBodyToCome) awaitBody();
        return body;
    }

    private void awaitBody() {
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
        body(LoopInput.of(Bytes.of(all.toByteArray())), awaited.trailers());
    }

    private HttpError tooLong(long most) {
        var why = "a body of more than " + most;
        Guard.HTTP_BODY.acted(remote(), why);
        return new HttpError(413, why);
    }

    @Override
    public final BlockingBody blockingBody() {
        checkNotOver();
        return isBodyToCome ? await() : new ValueBody(this);
    }

    private AwaitedBody await() {
        var source = bodySource;
        var opened = source == null ? Optional.<AwaitedBody>empty() : source.await();
        var awaited = opened.orElseThrow(this::toCome);
        bodySource = awaited;
        // Whoever ends it sees it, or is seen here.
        checkNotOver();
        return awaited;
    }

    /// What threads wait for, if one has asked for that.
    public final @Nullable AwaitedBody awaited() {
        return bodySource instanceof AwaitedBody awaited ? awaited : null;
    }

    private IllegalStateException toCome() {
        return new IllegalStateException("the body of " + this + " is no value, it arrives bit by bit: put the handler"
                + " into Http.whole(limit, …), or answer with Response.reading(…)");
    }

    @Override
    public final Headers trailers() {
        checkNotOver();
        return trailers;
    }

    /// Whether a body follows that is no value: it goes to whoever its response says, as it arrives.
    public final boolean isBodyToCome() {
        return isBodyToCome;
    }

    /// A filter has decoded the body, which is a value.
    public final void showDecoded(Input whole) {
        checkNotOver();
        body = whole;
        isDecoded = true;
    }

    /// The body is decoded as it arrives; before anybody reads it.
    public final void decode(BodyDecoding how) {
        checkNotOver();
        var source = bodySource;
        if (source == null) throw new IllegalStateException("a request without a body that is to come");
        source.decode(how);
        isDecoded = true;
    }

    /// Whether the body is shown without its content coding, and so are the fields that speak of it.
    public final boolean isDecoded() {
        return isDecoded;
    }

    /// The body stays until the response is complete, for a handler that is called later: it is copied. Nothing
    /// happens to one that is still to come. During the handler's call.
    public final void keepBody() {
        if (isBodyToCome || isBodyKept || body.isEmpty()) return;
        isBodyKept = true;
        body = LoopInput.of(body.readBytes(body.remaining()));
    }

    // The exchange's.

    /// The body, when it is a value.
    public final void body(Input whole, Headers behind) {
        isBodyToCome = false;
        body = whole;
        trailers = behind;
    }

    /// The fields behind a body that was read as it arrived.
    public final void trailers(Headers behind) {
        trailers = behind;
    }

    /// A body follows.
    public final void bodyFollows(BodySource source) {
        isBodyToCome = true;
        bodySource = source;
    }

    /// The handler has returned, and what it left of the body is gone.
    public final void bodyIsOver(Input notLent) {
        if (!isBodyKept) body = notLent;
    }

    /// The exchange is over: nobody may look at it any more.
    public void expire() {
        body = NO_BODY;
        VarHandle.fullFence();
        var waited = awaited();
        if (waited != null) waited.over();
    }
}
