package io.millrace;

import io.millrace.loop.ConnectionSettings;
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

/// Where and how a server listens: made with [#on], then changed by methods that return the same object. It is
/// read when a server starts, and can be used for several. Durations of zero mean no timeout.
public final class Listen {
    private final SocketAddress address;
    private final ConnectionSettings settings;
    private final Map<SocketOption<?>, Object> options = new LinkedHashMap<>();
    private Optional<EventLoops> loops = Optional.empty();
    private Optional<HandOver> handOver = Optional.empty();
    private Optional<Dispatch> dispatch = Optional.empty();
    private int maxConnections = 1_000_000;
    private int backlog = 4096;
    private boolean reusePort;
    private boolean v6Only;

    private Listen(SocketAddress address) {
        this(address, new ConnectionSettings());
    }

    private Listen(SocketAddress address, ConnectionSettings settings) {
        this.address = address;
        this.settings = settings;
    }

    /// Another one of which all is the same, and which changes apart from this.
    public Listen copy() {
        var copy = new Listen(address, settings.copy());
        copy.options.putAll(options);
        copy.loops = loops;
        copy.handOver = handOver;
        copy.dispatch = dispatch;
        copy.maxConnections = maxConnections;
        copy.backlog = backlog;
        copy.reusePort = reusePort;
        copy.v6Only = v6Only;
        return copy;
    }

    /// All addresses of this machine ([#anyAddress]); port 0 lets the system choose, 65535 is the last.
    public static Listen on(int port) {
        return on(anyAddress(port));
    }

    /// An address of this machine, or a [java.net.UnixDomainSocketAddress].
    public static Listen on(SocketAddress at) {
        return new Listen(at);
    }

    /// The wildcard that takes IPv6 and IPv4 connections, or IPv4 alone where the machine has no IPv6. Java's own,
    /// `new InetSocketAddress(port)`, takes IPv4 alone.
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
        loops = Optional.of(group);
        return this;
    }

    /// Goes on with the sockets of the process before, if it listened here, and lets the next one go on with these.
    /// The server accepts nobody before [HandOver#ready]. With the epoll and io_uring transports.
    public Listen handOver(HandOver with) {
        handOver = Optional.of(with);
        return this;
    }

    /// Where handlers run. By default those of [Tcp#listen] run on the loop; servers of other protocols say where.
    public Listen dispatch(Dispatch where) {
        dispatch = Optional.of(where);
        return this;
    }

    /// Where handlers run, if that was said.
    public Optional<Dispatch> dispatch() {
        return dispatch;
    }

    /// Puts a stage between the connections and their handlers: TLS, [WireLog] and their like. Several stand in the
    /// order in which they are put here, the first next to the wire.
    public Listen through(Stage stage) {
        settings.stage(stage);
        return this;
    }

    /// The most connections at a time, 1 or more; what comes beyond waits in the backlog. By default a million.
    public Listen maxConnections(int count) {
        if (count < 1) throw new IllegalArgumentException(count + " connections: there must be 1 or more");
        maxConnections = count;
        return this;
    }

    /// Connections that the kernel holds until they are accepted; by default 4096, limited by
    /// `net.core.somaxconn`.
    public Listen backlog(int count) {
        if (count < 1) throw new IllegalArgumentException("a backlog of " + count + ": it must be 1 or more");
        backlog = count;
        return this;
    }

    /// A listener on each loop (`SO_REUSEPORT`), between which the kernel spreads connections; otherwise one
    /// listener accepts and hands each connection to the loop that has the fewest.
    public Listen reusePort(boolean on) {
        reusePort = on;
        return this;
    }

    /// An IPv6 wildcard takes no IPv4 connections.
    public Listen v6Only(boolean on) {
        v6Only = on;
        return this;
    }

    /// An option that each connection starts with; `TCP_NODELAY` is on unless it is set here.
    public <T> Listen option(SocketOption<T> name, T value) {
        options.put(name, value);
        return this;
    }

    /// Input left unread, in bytes, above which nothing more is received; by default 64 KiB. A handler that
    /// leaves so much and is not paused loses its connection, because nothing would ever move again.
    public Listen inputLimit(long bytes) {
        settings.inputLimit(bytes);
        return this;
    }

    /// Unsent output, in bytes: above `high` nothing more is received, and in direct style writers wait; below
    /// `low` it goes on. By default 128 and 256 KiB.
    public Listen watermarks(long low, long high) {
        settings.watermarks(low, high);
        return this;
    }

    /// Unsent output, in bytes, above which a write of callback code kills the connection; by default 64 MiB.
    public Listen outputLimit(long bytes) {
        settings.outputLimit(bytes);
        return this;
    }

    /// Closes a connection on which nothing was received or sent for so long.
    public Listen idleTimeout(Duration limit) {
        settings.idleTimeout(limit);
        return this;
    }

    /// Closes a connection that sent nothing for so long while it was waited for.
    public Listen readTimeout(Duration limit) {
        settings.readTimeout(limit);
        return this;
    }

    /// Closes a connection that took nothing for so long while there was something to send.
    public Listen writeTimeout(Duration limit) {
        settings.writeTimeout(limit);
        return this;
    }

    /// That, if it was said.
    public Optional<Duration> writeTimeout() {
        return settings.writeTimeout();
    }

    /// How long a connection that ends ([Connection#close], [Connection#end], a session that returned) waits for a peer
    /// that takes nothing of what is left to send; then it is reset. By default the write timeout, or a minute
    /// where there is none.
    public Listen closeTimeout(Duration limit) {
        settings.closeTimeout(limit);
        return this;
    }

    /// Calls on the loop when nothing was received or sent for so long, and again each time that long passes. A
    /// peer that is sent something all the time, and says nothing, is not idle: to hear from it in time for the
    /// read timeout, ask it in [#whenReadIdle(Duration, Consumer)].
    public Listen whenIdle(Duration after, Consumer<Connection> call) {
        settings.whenIdle(after, call);
        return this;
    }

    /// Calls on the loop when nothing was received for so long while it was waited for, and again each time that
    /// long passes, whatever is sent meanwhile: the moment for a heartbeat that the peer answers. Take less than
    /// half of the read timeout.
    public Listen whenReadIdle(Duration after, Consumer<Connection> call) {
        settings.whenReadIdle(after, call);
        return this;
    }

    /// As [#whenReadIdle(Duration, Consumer)], and calls [io.millrace.net.Handler#onIdle], or
    /// [io.millrace.codec.MessageHandler#onIdle], where the handler's other calls run.
    public Listen whenReadIdle(Duration after) {
        settings.whenReadIdle(after, null);
        return this;
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

    Dispatch dispatchOrLoop() {
        return dispatch.orElse(Dispatch.loop());
    }

    ConnectionSettings settings() {
        return settings.copy();
    }

    int maxConnections() {
        return maxConnections;
    }

    ListenOptions options() {
        return new ListenOptions(backlog, reusePort, v6Only, new SocketOptions(Map.copyOf(options)));
    }
}
