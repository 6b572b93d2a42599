package io.millrace;

import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Derived;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Connection;
import io.millrace.net.Stage;
import io.millrace.transport.Transport.ListenOptions;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Where and how a server listens. Immutable: made with [#on], and each setter returns a copy; starting a server
/// with an instance whose copy was dropped throws an IllegalStateException. Several servers may use one. Durations
/// of zero mean no timeout.
@CheckReturnValue
public final class Listen {
    private final Derived derived;
    private final SocketAddress address;
    private ConnectionSettings settings;
    private Map<SocketOption<?>, Object> options = Map.of();
    private Optional<EventLoops> loops = Optional.empty();
    private Optional<HandOver> handOver = Optional.empty();
    private InheritedSockets sockets = InheritedSockets.none();
    private Optional<Dispatch> dispatch = Optional.empty();
    private int maxConnections = 1_000_000;
    private int backlog = 4096;
    private boolean reusePort;
    private boolean v6Only;

    private Listen(SocketAddress address) {
        this.derived = Derived.first();
        this.address = address;
        this.settings = new ConnectionSettings();
    }

    /// A copy to change before it is published.
    private Listen(Listen other, String setter) {
        this(other, other.derived.next(setter));
    }

    private Listen(Listen other, Derived derived) {
        this.derived = derived;
        this.address = other.address;
        this.settings = other.settings;
        this.options = other.options;
        this.loops = other.loops;
        this.handOver = other.handOver;
        this.sockets = other.sockets;
        this.dispatch = other.dispatch;
        this.maxConnections = other.maxConnections;
        this.backlog = other.backlog;
        this.reusePort = other.reusePort;
        this.v6Only = other.v6Only;
    }

    private Listen with(String setter, ConnectionSettings changed) {
        var copy = new Listen(this, setter);
        copy.settings = changed;
        return copy;
    }

    /// A copy for a server of another protocol, which is about to start and may set more.
    ///
    /// @throws IllegalStateException when the last copy that a setter returned was dropped
    public Listen used() {
        derived.use();
        return new Listen(this, Derived.first());
    }

    /// All addresses of this machine ([#anyAddress]), at a port from 0 to 65535; 0 lets the system choose.
    public static Listen on(int port) {
        return on(anyAddress(port));
    }

    /// An address of this machine, or a [java.net.UnixDomainSocketAddress].
    public static Listen on(SocketAddress at) {
        return new Listen(at);
    }

    /// The wildcard that accepts IPv6 and IPv4 connections, or only IPv4 on a machine without IPv6. Java's own,
    /// `new InetSocketAddress(port)`, accepts only IPv4.
    public static InetSocketAddress anyAddress(int port) {
        if (port < 0 || port > 0xffff) throw new IllegalArgumentException("port " + port + ": take 0 to 65535");
        try (var _ = ServerSocketChannel.open(StandardProtocolFamily.INET6)) {
            return new InetSocketAddress(InetAddress.ofLiteral("::"), port);
        } catch (IOException | UnsupportedOperationException _) {
            return new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port);
        }
    }

    /// The loops that own the connections; without it, the server has one for each core and stops them when it
    /// closes.
    public Listen loops(EventLoops group) {
        var changed = Optional.of(group);
        var copy = new Listen(this, "loops");
        copy.loops = changed;
        return copy;
    }

    /// Takes over the old process's sockets, if it listened here, and hands these over to the next process. The
    /// server accepts no connections before [HandOver#ready]. With the epoll and io_uring transports.
    public Listen handOver(HandOver with) {
        var changed = Optional.of(with);
        var copy = new Listen(this, "handOver");
        copy.handOver = changed;
        return copy;
    }

    /// Takes the service manager's sockets, if some of them are bound to this address. With the epoll and io_uring
    /// transports. After a hot restart, those of the old process come first.
    public Listen inherited(InheritedSockets from) {
        var copy = new Listen(this, "inherited");
        copy.sockets = from;
        return copy;
    }

    /// Where handlers run. By default those of [Tcp#listen] run on the loop; other protocols have their own
    /// default.
    public Listen dispatch(Dispatch where) {
        var changed = Optional.of(where);
        var copy = new Listen(this, "dispatch");
        copy.dispatch = changed;
        return copy;
    }

    /// Where handlers run, if set.
    public Optional<Dispatch> dispatch() {
        return dispatch;
    }

    /// Puts a stage between the connections and their handlers: TLS, [WireLog] and the like. Several keep the order
    /// of these calls, the first next to the wire.
    public Listen through(Stage stage) {
        return with("through", settings.stage(stage));
    }

    /// How many connections may be open at a time, 1 or more; further ones wait in the backlog. By default a
    /// million.
    public Listen maxConnections(int count) {
        if (count < 1) throw new IllegalArgumentException(count + " connections: there must be 1 or more");
        var copy = new Listen(this, "maxConnections");
        copy.maxConnections = count;
        return copy;
    }

    /// Connections that the kernel holds until they are accepted; by default 4096, limited by
    /// `net.core.somaxconn`.
    public Listen backlog(int count) {
        if (count < 1) throw new IllegalArgumentException("a backlog of " + count + ": it must be 1 or more");
        var copy = new Listen(this, "backlog");
        copy.backlog = count;
        return copy;
    }

    /// A listener on each loop (`SO_REUSEPORT`), between which the kernel spreads connections; otherwise one
    /// listener accepts and hands each connection to the loop that has the fewest.
    public Listen reusePort(boolean on) {
        var copy = new Listen(this, "reusePort");
        copy.reusePort = on;
        return copy;
    }

    /// An IPv6 wildcard accepts no IPv4 connections.
    public Listen v6Only(boolean on) {
        var copy = new Listen(this, "v6Only");
        copy.v6Only = on;
        return copy;
    }

    /// An option that each connection starts with; `TCP_NODELAY` is on unless it is set here.
    public <T> Listen option(SocketOption<T> name, T value) {
        var changed = with(options, name, value);
        var copy = new Listen(this, "option");
        copy.options = changed;
        return copy;
    }

    /// Unread input, in bytes, above which nothing more is received; by default 64 KiB. A handler that leaves that
    /// much without being paused loses its connection, which would never move again.
    public Listen inputLimit(long bytes) {
        return with("inputLimit", settings.inputLimit(bytes));
    }

    /// Unsent output, in bytes: above `high` nothing more is received, and writers in direct style wait; below
    /// `low` both go on. By default 128 and 256 KiB.
    public Listen watermarks(long low, long high) {
        return with("watermarks", settings.watermarks(low, high));
    }

    /// Unsent output, in bytes, above which a write of callback code kills the connection; by default 64 MiB.
    public Listen outputLimit(long bytes) {
        return with("outputLimit", settings.outputLimit(bytes));
    }

    /// Closes a connection on which nothing was received or sent for so long.
    public Listen idleTimeout(Duration limit) {
        return with("idleTimeout", settings.idleTimeout(limit));
    }

    /// Closes a connection whose peer sent nothing for so long while input was awaited.
    public Listen readTimeout(Duration limit) {
        return with("readTimeout", settings.readTimeout(limit));
    }

    /// Closes a connection whose peer took nothing for so long while there was something to send.
    public Listen writeTimeout(Duration limit) {
        return with("writeTimeout", settings.writeTimeout(limit));
    }

    /// The write timeout, if set.
    public Optional<Duration> writeTimeout() {
        return settings.writeTimeout();
    }

    /// How long a connection that ends ([Connection#close], [Connection#end], a session that returned) waits for a
    /// peer that takes none of the remaining output; then it is reset. By default the write timeout, or a minute
    /// without one.
    public Listen closeTimeout(Duration limit) {
        return with("closeTimeout", settings.closeTimeout(limit));
    }

    /// Calls on the loop when nothing was received or sent for so long, and again each time that long passes. A
    /// connection that keeps sending is not idle, even if its peer says nothing: to hear from the peer before the
    /// read timeout, ask it in [#whenReadIdle(Duration, Consumer)].
    public Listen whenIdle(Duration after, Consumer<Connection> call) {
        return with("whenIdle", settings.whenIdle(after, call));
    }

    /// Calls on the loop when nothing was received for so long while input was awaited, and again each time that
    /// long passes, whatever is sent meanwhile: the moment for a heartbeat that the peer answers. Take less than
    /// half of the read timeout.
    public Listen whenReadIdle(Duration after, Consumer<Connection> call) {
        return with("whenReadIdle", settings.whenReadIdle(after, call));
    }

    /// As [#whenReadIdle(Duration, Consumer)], and calls [io.millrace.net.Handler#onIdle], or
    /// [io.millrace.codec.MessageHandler#onIdle], where the handler's other calls run.
    public Listen whenReadIdle(Duration after) {
        return with("whenReadIdle", settings.whenReadIdle(after, null));
    }

    /// A copy of the options with one added or replaced.
    static Map<SocketOption<?>, Object> with(Map<SocketOption<?>, Object> options, SocketOption<?> name, Object value) {
        var more = new LinkedHashMap<>(options);
        more.put(name, value);
        return Map.copyOf(more);
    }

    SocketAddress address() {
        return address;
    }

    Optional<EventLoops> loops() {
        return loops;
    }

    Optional<HandOver> handOver() {
        return handOver;
    }

    InheritedSockets inherited() {
        return sockets;
    }

    Dispatch dispatchOrLoop() {
        return dispatch.orElse(Dispatch.loop());
    }

    /// Called when a server is about to start.
    ///
    /// @throws IllegalStateException when the last copy that a setter returned was dropped
    void use() {
        derived.use();
    }

    ConnectionSettings settings() {
        return settings;
    }

    int maxConnections() {
        return maxConnections;
    }

    ListenOptions options() {
        return new ListenOptions(backlog, reusePort, v6Only, new SocketOptions(options));
    }
}
