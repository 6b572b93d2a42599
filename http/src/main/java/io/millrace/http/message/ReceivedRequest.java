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
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A peer's request, of any HTTP version, with the operations that are not in the public [Request].
public abstract non-sealed class ReceivedRequest extends Request {
    /// What a request has that is passed on.
    private static final class Passing {
        private @Nullable Object by;
        private List<TunnelLimit> limits = List.of();
        private List<Relay> relays = List.of();
    }

    private final Connection connection;
    private final String method;
    private final Target target;

    /// The client behind a trusted peer.
    private @Nullable SocketAddress client;

    private boolean isSecure;

    /// The settings of the server that received it.
    private HttpSettings settings = HttpSettings.standard();

    /// A filter's change to the response to an exception.
    private UnaryOperator<Response> onFailure = UnaryOperator.identity();

    /// What a filter calls it, if one does.
    private @Nullable String id;

    /// The name of a proxy's route for it.
    private String ruledBy = "";

    private boolean isLogged = true;

    /// Created when it is needed.
    private @Nullable Passing passing;

    /// Created when it is needed.
    private @Nullable ReceivedBody body;

    protected ReceivedRequest(Connection connection, String method, Target target) {
        this.connection = connection;
        this.method = method;
        this.target = target;
    }

    /// The peer's request, whatever was changed on its way; null for a request that a program built.
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

    /// The path to pass on, which may be another form of [#path].
    public final String sentPath() {
        return target.sent();
    }

    /// The host in its target, if there is one; otherwise empty.
    protected final String authority() {
        return target.authority();
    }

    /// The connection that it came on.
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

    /// A trusted peer names this client, which from now on is the remote one.
    public final void servedFor(SocketAddress whom) {
        client = whom;
    }

    /// TLS has ended in front of this server.
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

    /// A filter's change to the response if user code throws; a filter further in front changes it later.
    public final void onFailure(UnaryOperator<Response> change) {
        var before = onFailure;
        onFailure = response -> before.apply(change.apply(response));
    }

    /// The response to an exception, changed by filters.
    public final Response failed(Response response) {
        return onFailure.apply(response);
    }

    /// A server with these settings has received it.
    public final void servedWith(HttpSettings itsSettings) {
        settings = itsSettings;
    }

    /// The JSON codec for a request, whatever was changed on its way.
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

    /// A proxy has a route of this name for it, for those who hear of its end.
    public final void ruledBy(String route) {
        ruledBy = route;
    }

    /// Empty without one.
    public final String ruledBy() {
        return ruledBy;
    }

    /// It is not for access logs.
    public final void unlogged() {
        isLogged = false;
    }

    public final boolean isLogged() {
        return isLogged;
    }

    /// Who passes it on to another server, for those who hear of its end.
    public final void passedOnBy(Object who) {
        passing().by = who;
    }

    public final Optional<Object> passedOnBy() {
        return passing == null ? Optional.empty() : Optional.ofNullable(passing.by);
    }

    private Passing passing() {
        var made = passing;
        if (made == null) passing = made = new Passing();
        return made;
    }

    /// If it becomes a tunnel, this limit is for that, too.
    public final void limitsTunnels(TunnelLimit one) {
        var all = passing();
        all.limits = Stream.concat(all.limits.stream(), Stream.of(one)).toList();
    }

    /// Of each, whoever opens a tunnel has to take a place.
    public final List<TunnelLimit> tunnelLimits() {
        return passing == null ? List.of() : passing.limits;
    }

    /// Its response may come through this, if no other one is sent; which the relay is told when the exchange is
    /// over.
    public final void relayedBy(Relay relay) {
        var all = passing();
        var before = all.relays;
        all.relays = before.isEmpty()
                ? List.of(relay)
                : Stream.concat(before.stream(), Stream.of(relay)).toList();
    }

    /// Length of its decoded body, in bytes: 0 for none, and -1 if unknown.
    public abstract long bodyLength();

    /// Whether it is HTTP/1.0.
    public abstract boolean isOld();

    /// Whether trailers may follow a body whose length is announced, as in HTTP/2.
    public boolean mayHaveTrailers() {
        return false;
    }

    /// The response outlasts the shared bytes: from now on the request has a copy of its own.
    public abstract void keep();

    /// A copy of all fields as they came, which outlasts the exchange.
    public abstract Headers keptHeaders();

    /// Has its exchange go on: the response can, or more of its body is wanted. Any thread.
    public abstract void wake();

    /// Rejects late calls.
    ///
    /// @throws IllegalStateException when the exchange is over
    protected abstract void checkNotOver();

    // The body.

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

    /// Whether a body is still to come and is not a value: the response decides what gets it.
    public final boolean isBodyToCome() {
        return body != null && body.isToCome();
    }

    /// Whether the body is decoded, and the fields about its coding are hidden.
    public final boolean isDecoded() {
        return body != null && body.isDecoded();
    }

    /// The body that threads wait for, if one does.
    public final @Nullable AwaitedBody awaited() {
        return body == null ? null : body.awaited();
    }

    /// Copies the body, so that it stays until the response is complete, for a handler that is called later.
    /// A body still to come is not affected. During the handler's call.
    public final void keepBody() {
        if (body != null) body.keep();
    }

    /// The body, for the exchange and for filters.
    public final ReceivedBody received() {
        var mine = body;
        if (mine == null) body = mine = new ReceivedBody(this);
        return mine;
    }

    /// The exchange is over: the request must not be used any more.
    public void expire() {
        if (body != null) body.expire();
        if (passing != null) passing.relays.forEach(Relay::exchangeIsOver);
    }
}
