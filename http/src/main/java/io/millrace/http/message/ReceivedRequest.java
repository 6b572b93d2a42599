package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.http.Request;
import io.millrace.net.Connection;
import io.millrace.net.Security;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request that a peer sent, whatever version of HTTP it speaks: what there is to know and to say of one that nobody
/// finds in a [Request].
public abstract non-sealed class ReceivedRequest extends Request {
    private final Connection connection;

    /// Whom the peer serves, if it was believed.
    private @Nullable SocketAddress client;

    private boolean isSecure;

    /// Who passes it on, if somebody does.
    private @Nullable Object passedOnBy;

    protected ReceivedRequest(Connection connection) {
        this.connection = connection;
    }

    /// Where it came from.
    public final Connection connection() {
        return connection;
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

    /// Whether a body follows that is not in [#body].
    public abstract boolean isBodyToCome();

    /// Of its body as it is shown, in bytes: 0 for none, and -1 for one of which only the end tells.
    public abstract long bodyLength();

    /// Whether it is one of HTTP/1.0.
    public abstract boolean isOld();

    /// The path as it is passed on, which may be another form of [#path].
    public abstract String sentPath();

    /// A filter has decoded the body, or whoever reads it will.
    public abstract void showDecoded(Input whole);

    /// Its response takes longer than the bytes it looks at stay: from now on it has its own.
    public abstract void keep();

    /// The body stays until the response is complete, for a handler that is called later: it is copied. Nothing
    /// happens to one that is still to come. During the handler's call.
    public abstract void keepBody();
}
