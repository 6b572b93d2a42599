package io.millrace.proxy;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.LoopLog;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Loop;
import io.millrace.net.Overloaded;
import io.millrace.net.TimedOut;
import io.millrace.proxy.ConnectTargets.ConnectTarget;
import io.millrace.proxy.ConnectTunnels.Ways;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// One `CONNECT` to a server, on the loop of the client's connection.
///
/// ```
///   CONNECTING ── connected ──► 200, and both connections are one
///        ├── failed ──► 403, 502, 503, 504
///        └── the client left ──► closed
/// ```
final class BackendConnect {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    private final ConnectTarget target;
    private final Loop loop;
    private final Ways ways;
    private final Relay relay = new Relay(Optional.empty(), this::abandoned);

    /// The name resolves to addresses that are not allowed.
    private volatile boolean isForbidden;

    private volatile boolean isAbandoned;
    private volatile @Nullable Connection connection;

    BackendConnect(ConnectTarget target, ReceivedRequest request, Ways ways) {
        this.target = target;
        this.loop = request.loop();
        this.ways = ways;
        request.relayedBy(relay);
    }

    /// The pending response.
    Response begin() {
        var to = Connect.to(target.address())
                .loop(loop)
                .timeout(ways.connectTimeout())
                .idleTimeout(ways.idleTimeout())
                .resolver(target.isNamed() ? ways.names() : this::elsewhere);
        try {
            var _ = Tcp.connect(to, this::connected).whenComplete((_, failure) -> {
                if (failure != null) failed(failure);
            });
        } catch (RejectedExecutionException e) {
            failed(e);
        }
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    private List<InetAddress> elsewhere(String host) throws UnknownHostException {
        var all = ways.names().resolve(host);
        var found = all.stream().filter(BackendConnect::isElsewhere).toList();
        isForbidden = found.isEmpty();
        return found;
    }

    private static boolean isElsewhere(InetAddress address) {
        boolean isHere = address.isLoopbackAddress() || address.isAnyLocalAddress() || address.isLinkLocalAddress();
        return !isHere && !address.isMulticastAddress() && !isOfThisMachine(address);
    }

    /// An address of one of this machine's interfaces.
    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            LOG.log(
                    Level.DEBUG,
                    "it is unknown whether " + address.getHostAddress()
                            + " is an address of this machine: it is treated as one",
                    e);
            return true;
        }
    }

    /// It belongs to the client from now on, and nothing is read from it before the tunnel is open.
    private Handler connected(Connection opened) {
        opened.pause();
        connection = opened;
        if (isAbandoned) opened.abort();
        else relay.upgrade(new Upgraded(200, Headers.EMPTY, TcpConnection.of(opened), (_, _) -> {}));
        return in -> in.skip(in.remaining());
    }

    private void failed(Throwable failure) {
        LOG.log(Level.DEBUG, () -> "CONNECT " + target.address() + ": " + failure);
        int status = isForbidden ? 403 : status(failure);
        relay.respond(Response.status(status));
    }

    private static int status(Throwable failure) {
        return switch (failure) {
            case TimedOut _ -> 504;
            case Overloaded _ -> 503;
            default -> 502;
        };
    }

    private void abandoned() {
        isAbandoned = true;
        var opened = connection;
        if (opened != null) opened.abort();
    }
}
