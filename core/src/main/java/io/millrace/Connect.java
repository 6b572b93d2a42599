package io.millrace;

import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Connector;
import io.millrace.loop.Derived;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import io.millrace.net.Resolver;
import io.millrace.net.Stage;
import io.millrace.transport.Transport.SocketOptions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Where and how a client connects. Immutable: made with [#to], and each setter returns a copy; connecting with an
/// instance whose copy was dropped throws an IllegalStateException. Durations of zero mean no timeout.
@CheckReturnValue
public final class Connect {
    private final Derived derived;
    private final SocketAddress address;
    private ConnectionSettings settings = new ConnectionSettings();
    private Map<SocketOption<?>, Object> options = Map.of();
    private Optional<Loop> loop = Optional.empty();
    private Optional<EventLoops> loops = Optional.empty();
    private Duration timeout = Duration.ofSeconds(10);
    private Resolver resolver = Resolver.system();
    private @Nullable InetSocketAddress from;

    private Connect(SocketAddress address) {
        this.derived = Derived.first();
        this.address = address;
    }

    /// A copy to change before it is published.
    private Connect(Connect other, String setter) {
        this(other, other.derived.next(setter));
    }

    private Connect(Connect other, Derived derived) {
        this.derived = derived;
        this.address = other.address;
        this.settings = other.settings;
        this.options = other.options;
        this.loop = other.loop;
        this.loops = other.loops;
        this.timeout = other.timeout;
        this.resolver = other.resolver;
        this.from = other.from;
    }

    private Connect with(String setter, ConnectionSettings changed) {
        var copy = new Connect(this, setter);
        copy.settings = changed;
        return copy;
    }

    /// A copy for a client of another protocol, which is about to connect and may set more.
    ///
    /// @throws IllegalStateException when the last copy that a setter returned was dropped
    public Connect used() {
        derived.use();
        return new Connect(this, Derived.first());
    }

    /// A host by name or address; a name is looked up when the connection is made, and never on a loop. If it has
    /// several addresses, they are tried in turn, alternating IPv6 and IPv4: each 250 ms after the one before, or
    /// as soon as that one has failed; the first that answers is taken (RFC 8305).
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
        var changed = Optional.of(owner);
        var copy = new Connect(this, "loop");
        copy.loop = changed;
        return copy;
    }

    /// The loops to choose from: the one with the fewest connections owns this connection. By default, loops that
    /// all clients share.
    public Connect loops(EventLoops group) {
        var changed = Optional.of(group);
        var copy = new Connect(this, "loops");
        copy.loops = changed;
        return copy;
    }

    /// How long name lookup and handshake may take together; by default 10 s.
    public Connect timeout(Duration limit) {
        var copy = new Connect(this, "timeout");
        copy.timeout = limit;
        return copy;
    }

    /// The local address, for machines with several; by default the system chooses it. Port 0 lets the system
    /// choose the port. Only a host's addresses of the same family are tried.
    ///
    /// @throws IllegalArgumentException for a name that was not looked up
    public Connect from(InetSocketAddress local) {
        if (local.isUnresolved()) {
            throw new IllegalArgumentException("cannot connect from " + local + ": give an address of this machine");
        }
        var copy = new Connect(this, "from");
        copy.from = local;
        return copy;
    }

    /// Looks up the host instead of the system.
    public Connect resolver(Resolver names) {
        var copy = new Connect(this, "resolver");
        copy.resolver = names;
        return copy;
    }

    /// Puts a stage between the connection and its handler; several as [Listen#through] does.
    public Connect through(Stage stage) {
        return with("through", settings.stage(stage));
    }

    /// An option that the connection starts with; `TCP_NODELAY` is on unless it is set here.
    public <T> Connect option(SocketOption<T> name, T value) {
        var changed = Listen.with(options, name, value);
        var copy = new Connect(this, "option");
        copy.options = changed;
        return copy;
    }

    /// As [Listen#inputLimit].
    public Connect inputLimit(long bytes) {
        return with("inputLimit", settings.inputLimit(bytes));
    }

    /// As [Listen#watermarks], except that receiving goes on until half of the output limit is unsent: otherwise a
    /// server that does not read until its client reads, and this client, would wait for each other.
    public Connect watermarks(long low, long high) {
        return with("watermarks", settings.watermarks(low, high));
    }

    /// As [Listen#outputLimit].
    public Connect outputLimit(long bytes) {
        return with("outputLimit", settings.outputLimit(bytes));
    }

    /// As [Listen#idleTimeout].
    public Connect idleTimeout(Duration limit) {
        return with("idleTimeout", settings.idleTimeout(limit));
    }

    /// As [Listen#readTimeout].
    public Connect readTimeout(Duration limit) {
        return with("readTimeout", settings.readTimeout(limit));
    }

    /// As [Listen#writeTimeout].
    public Connect writeTimeout(Duration limit) {
        return with("writeTimeout", settings.writeTimeout(limit));
    }

    /// As [Listen#whenIdle].
    public Connect whenIdle(Duration after, Consumer<Connection> call) {
        return with("whenIdle", settings.whenIdle(after, call));
    }

    /// As [Listen#whenReadIdle(Duration, Consumer)].
    public Connect whenReadIdle(Duration after, Consumer<Connection> call) {
        return with("whenReadIdle", settings.whenReadIdle(after, call));
    }

    /// As [Listen#whenReadIdle(Duration)].
    public Connect whenReadIdle(Duration after) {
        return with("whenReadIdle", settings.whenReadIdle(after, null));
    }

    /// As [Listen#closeTimeout].
    public Connect closeTimeout(Duration limit) {
        return with("closeTimeout", settings.closeTimeout(limit));
    }

    /// The loop that was set, or else the next of its loops: for who wants several connections on one.
    public Loop nextLoop() {
        return loop.orElseGet(() -> loops.orElseGet(EventLoops::shared).next());
    }

    SocketAddress address() {
        return address;
    }

    /// @throws IllegalStateException when the last copy that a setter returned was dropped
    Connector connector() {
        derived.use();
        long timeoutNanos = ConnectionSettings.nanos(timeout, "a connect timeout");
        var socketOptions = new SocketOptions(options);
        return new Connector(EventLoop.of(nextLoop()), settings, socketOptions, from, resolver, timeoutNanos);
    }

    /// Where it leads.
    @Override
    public String toString() {
        return Wording.of(address);
    }
}
