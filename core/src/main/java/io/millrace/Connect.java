package io.millrace;

import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Connector;
import io.millrace.loop.EventLoop;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import io.millrace.net.Resolver;
import io.millrace.net.Stage;
import io.millrace.transport.Transport.SocketOptions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Whom and how a client connects: made with [#to], then changed by methods that return the same object.
/// Durations of zero mean no timeout.
public final class Connect {
    private final SocketAddress address;
    private final ConnectionSettings settings = new ConnectionSettings();
    private final Map<SocketOption<?>, Object> options = new LinkedHashMap<>();
    private Optional<Loop> loop = Optional.empty();
    private Optional<EventLoops> loops = Optional.empty();
    private Duration timeout = Duration.ofSeconds(10);
    private Resolver resolver = Resolver.system();
    private @Nullable InetSocketAddress from;

    private Connect(SocketAddress address) {
        this.address = address;
    }

    /// A host by name or address; a name is looked up when the connection is made, and never on a loop. If it has
    /// several addresses, they are tried by turns of their families: each 250 ms after the one before, or as soon
    /// as that one has failed; the first that answers is taken (RFC 8305).
    public static Connect to(String host, int port) {
        if (port < 1 || port > 0xffff) throw new IllegalArgumentException("port " + port + ": take 1 to 65535");
        return to(InetSocketAddress.createUnresolved(host, port));
    }

    /// An address, or a [java.net.UnixDomainSocketAddress].
    public static Connect to(SocketAddress address) {
        return new Connect(address);
    }

    /// The loop that owns the connection, for instance that of another connection it works with.
    public Connect loop(Loop owner) {
        loop = Optional.of(owner);
        return this;
    }

    /// The loops, of which the one with the fewest connections owns this one; without it, loops that all clients
    /// share.
    public Connect loops(EventLoops group) {
        loops = Optional.of(group);
        return this;
    }

    /// How long name lookup and handshake may take together; by default 10 s.
    public Connect timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    /// The address of this side, for machines with several; by default the system chooses it. Port 0 lets the system
    /// choose the port. Of a host only addresses of the same family are tried.
    ///
    /// @throws IllegalArgumentException for a name that was not looked up
    public Connect from(InetSocketAddress local) {
        if (local.isUnresolved()) {
            throw new IllegalArgumentException("cannot connect from " + local + ": give an address of this machine");
        }
        from = local;
        return this;
    }

    /// Who looks up the host, instead of the system.
    public Connect resolver(Resolver names) {
        resolver = names;
        return this;
    }

    /// Puts a stage between the connection and its handler; several as [Listen#through] does.
    public Connect through(Stage stage) {
        settings.stage(stage);
        return this;
    }

    /// An option that the connection starts with; `TCP_NODELAY` is on unless it is set here.
    public <T> Connect option(SocketOption<T> name, T value) {
        options.put(name, value);
        return this;
    }

    /// As [Listen#inputLimit].
    public Connect inputLimit(long bytes) {
        settings.inputLimit(bytes);
        return this;
    }

    /// As [Listen#watermarks], but for receiving: that goes on until half of the output limit is unsent, because a
    /// server that reads nothing of a client that does not read would wait for this side, and this side for it.
    public Connect watermarks(long low, long high) {
        settings.watermarks(low, high);
        return this;
    }

    /// As [Listen#outputLimit].
    public Connect outputLimit(long bytes) {
        settings.outputLimit(bytes);
        return this;
    }

    /// As [Listen#idleTimeout].
    public Connect idleTimeout(Duration limit) {
        settings.idleTimeout(limit);
        return this;
    }

    /// As [Listen#readTimeout].
    public Connect readTimeout(Duration limit) {
        settings.readTimeout(limit);
        return this;
    }

    /// As [Listen#writeTimeout].
    public Connect writeTimeout(Duration limit) {
        settings.writeTimeout(limit);
        return this;
    }

    /// As [Listen#whenIdle].
    public Connect whenIdle(Duration after, Consumer<Connection> call) {
        settings.whenIdle(after, call);
        return this;
    }

    /// As [Listen#whenReadIdle(Duration, Consumer)].
    public Connect whenReadIdle(Duration after, Consumer<Connection> call) {
        settings.whenReadIdle(after, call);
        return this;
    }

    /// As [Listen#whenReadIdle(Duration)].
    public Connect whenReadIdle(Duration after) {
        settings.whenReadIdle(after, null);
        return this;
    }

    /// As [Listen#closeTimeout].
    public Connect closeTimeout(Duration limit) {
        settings.closeTimeout(limit);
        return this;
    }

    SocketAddress address() {
        return address;
    }

    Connector connector() {
        var owner = loop.orElseGet(() -> loops.orElseGet(EventLoops::shared).next());
        long timeoutNanos = ConnectionSettings.nanos(timeout, "a connect timeout");
        var socketOptions = new SocketOptions(Map.copyOf(options));
        return new Connector(EventLoop.of(owner), settings.copy(), socketOptions, from, resolver, timeoutNanos);
    }
}
