package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.http.BlockingBody;
import io.millrace.http.Headers;
import io.millrace.http.HttpSettings;
import io.millrace.http.JsonCodec;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.Target;
import io.millrace.loop.EventLoop;
import io.millrace.net.Connection;
import io.millrace.net.Security;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A request that a peer sent, whatever version of HTTP it speaks: what there is to know and to say of one that nobody
/// finds in a [Request].
public abstract non-sealed class ReceivedRequest extends Request {
    private final Connection connection;
    private final String method;
    private final Target target;

    /// Whom the peer serves, if it was believed.
    private @Nullable SocketAddress client;

    private boolean isSecure;

    /// Of the server that has got it.
    private HttpSettings settings = HttpSettings.standard();

    /// What filters make of the answer to an exception.
    private UnaryOperator<Response> onFailure = UnaryOperator.identity();

    /// What a filter calls it, if one does.
    private @Nullable String id;

    /// Who passes it on, if somebody does.
    private @Nullable Object passedOnBy;

    /// Once there is any, or somebody has shown one.
    private @Nullable ReceivedBody body;

    protected ReceivedRequest(Connection connection, String method, Target target) {
        this.connection = connection;
        this.method = method;
        this.target = target;
    }

    /// What a peer sent, whatever has been changed in it on its way; null for a request that was made here.
    public static @Nullable ReceivedRequest behind(Request request) {
        return RewrittenRequest.originalOf(request) instanceof ReceivedRequest received ? received : null;
    }

    @Override
    public final String method() {
        return method;
    }

    @Override
    public final String path() {
        return target.path();
    }

    @Override
    public final String query() {
        return target.query();
    }

    /// The path as it is passed on, which may be another form of [#path].
    public final String sentPath() {
        return target.sent();
    }

    /// The host that its target names, if it does; otherwise empty.
    protected final String authority() {
        return target.authority();
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

    /// If user code throws, a filter makes this of the answer; one that stands further in front
    /// changes it later.
    public final void onFailure(UnaryOperator<Response> change) {
        var before = onFailure;
        onFailure = response -> before.apply(change.apply(response));
    }

    /// The answer to an exception, as filters want it.
    public final Response failed(Response response) {
        return onFailure.apply(response);
    }

    /// A server with these settings has got it.
    public final void servedWith(HttpSettings itsSettings) {
        settings = itsSettings;
    }

    /// What reads and writes JSON for a request, whatever has been changed in it on its way.
    public static JsonCodec codecFor(Request request) {
        var received = behind(request);
        return received == null ? JsonCodec.standard() : received.settings.json();
    }

    /// It has a name, for those who hear of its end.
    public final void named(String itsId) {
        id = itsId;
    }

    public final Optional<String> id() {
        return Optional.ofNullable(id);
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
        return body == null ? ReceivedBody.NOTHING : body.whole();
    }

    @Override
    public final BlockingBody blockingBody() {
        checkNotOver();
        return body == null ? new ValueBody(this) : body.blocking();
    }

    @Override
    public final Headers trailers() {
        checkNotOver();
        return body == null ? Headers.EMPTY : body.trailers();
    }

    /// Whether a body follows that is no value: it goes to whoever its response says, as it arrives.
    public final boolean isBodyToCome() {
        return body != null && body.isToCome();
    }

    /// Whether the body is shown without its content coding, and so are the fields that speak of it.
    public final boolean isDecoded() {
        return body != null && body.isDecoded();
    }

    /// What threads wait for, if one has asked for that.
    public final @Nullable AwaitedBody awaited() {
        return body == null ? null : body.awaited();
    }

    /// The body stays until the response is complete, for a handler that is called later: it is copied. Nothing
    /// happens to one that is still to come. During the handler's call.
    public final void keepBody() {
        if (body != null) body.keep();
    }

    /// The body as it is known here, for the exchange and for filters.
    public final ReceivedBody received() {
        var mine = body;
        if (mine == null) body = mine = new ReceivedBody(this);
        return mine;
    }

    /// The exchange is over: nobody may look at it any more.
    public void expire() {
        if (body != null) body.expire();
    }
}
