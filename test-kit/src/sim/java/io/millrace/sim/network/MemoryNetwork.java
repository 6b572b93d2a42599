package io.millrace.sim.network;

import io.millrace.transport.Transport;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A network in memory with a time of its own, which stands still until it is advanced: what is sent becomes an
/// event in the future. All of it belongs to one thread, and all of its choices come from one [Luck], so the
/// same luck makes the same run.
///
/// Every address is an address of this network, `10.0.0.1` as well as the loopback: nothing leaves the process.
public final class MemoryNetwork {
    private static final int FIRST_EPHEMERAL_PORT = 32_768;
    private static final int LAST_PORT = 65_535;

    /// After how long a connect that found a full backlog is retried, as Linux's first retry.
    private static final long RETRY_NANOS = 1_000_000_000;

    /// A connection that is reset loses it before so many chunks have departed in one direction.
    private static final int CHUNKS_UNTIL_RESET = 256;

    private static final long NEVER = Long.MAX_VALUE;

    private final Luck luck;
    private final NetworkConditions conditions;
    private final Trace trace = new Trace();
    private final PriorityQueue<Event> events = new PriorityQueue<>();

    /// Looked up and never iterated, because its order differs from run to run.
    private final Map<SocketAddress, List<MemoryListener>> listeners = new HashMap<>();

    private final Set<Integer> partitioned = new HashSet<>();
    private final Set<Integer> refusing = new HashSet<>();

    /// What waits at the border of a partition, in order.
    private final List<Runnable> held = new ArrayList<>();

    private long cutAfterBytes = NEVER;
    private long nowNanos;
    private long eventsAdded;
    private long connections;
    private int lastPort = FIRST_EPHEMERAL_PORT - 1;

    private record Event(long atNanos, long order, Runnable happening) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return atNanos != other.atNanos ? Long.compare(atNanos, other.atNanos) : Long.compare(order, other.order);
        }
    }

    public MemoryNetwork(Luck luck, NetworkConditions conditions) {
        this.luck = luck;
        this.conditions = conditions;
    }

    public NetworkConditions conditions() {
        return conditions;
    }

    public Trace trace() {
        return trace;
    }

    public void note(String what, long who, long amount) {
        trace.note(nowNanos, what, who, amount);
    }

    // Time.

    /// The time since this network began.
    public long nowNanos() {
        return nowNanos;
    }

    /// When the next thing happens, [Long#MAX_VALUE] when nothing is on its way.
    public long nextEventNanos() {
        var next = events.peek();
        return next == null ? Long.MAX_VALUE : next.atNanos;
    }

    /// Moves the time on, not beyond the next event.
    public void advanceTo(long timeNanos) {
        assert timeNanos >= nowNanos && timeNanos <= nextEventNanos() : timeNanos + " after " + nowNanos;
        nowNanos = timeNanos;
    }

    /// Moves the time on to the next event, which happens.
    public void happen() {
        var event = events.remove();
        nowNanos = event.atNanos;
        event.happening.run();
    }

    /// Schedules an event.
    public void after(long delayNanos, Runnable happening) {
        at(nowNanos + delayNanos, happening);
    }

    void at(long timeNanos, Runnable happening) {
        at(timeNanos, nextOrder(), happening);
    }

    /// With a place among what happens at the same time: the lower comes first.
    void at(long timeNanos, long order, Runnable happening) {
        events.add(new Event(timeNanos, order, happening));
    }

    long nextOrder() {
        return eventsAdded++;
    }

    /// Schedules an arrival at a connection; while its port is cut off, it waits.
    void travel(MemorySocket end, long timeNanos, Runnable arrival) {
        at(timeNanos, () -> {
            if (isCutOff(end)) hold(arrival);
            else arrival.run();
        });
    }

    boolean isCutOff(MemorySocket end) {
        return !partitioned.isEmpty() && partitioned.contains(end.port());
    }

    /// What arrives when the partition is healed.
    void hold(Runnable arrival) {
        held.add(arrival);
    }

    // Faults, until they are healed.

    /// Nothing arrives at this port, or comes from there.
    public void partition(int port) {
        partitioned.add(port);
        note("partition", port, 0);
    }

    /// Connections to this port are refused.
    public void refuse(int port) {
        refusing.add(port);
    }

    /// Each connection that opens is lost when either end has sent so many bytes.
    public void cutAfter(long bytes) {
        cutAfterBytes = bytes;
    }

    long cutAfterBytes() {
        return cutAfterBytes;
    }

    /// What waits arrives, in the order in which it would have.
    public void heal() {
        partitioned.clear();
        refusing.clear();
        cutAfterBytes = NEVER;
        note("heal", 0, held.size());
        var waiting = List.copyOf(held);
        held.clear();
        waiting.forEach(Runnable::run);
    }

    Luck luck() {
        return luck;
    }

    long delayNanos() {
        return conditions.delayNanos(luck);
    }

    // Addresses.

    /// Binds and listens; port 0 lets the network choose.
    ///
    /// @throws IOException when the address is taken, or invalid
    public MemoryListener listen(SocketAddress at, Transport.ListenOptions options) throws IOException {
        var address = withPort(resolved(at));
        var bound = listeners.computeIfAbsent(address, _ -> new ArrayList<>());
        if (!bound.isEmpty() && !(options.reusePort() && bound.getFirst().isShared())) {
            throw new BindException("cannot listen on " + shown(address)
                    + ": the address is in use: stop the other server or choose another port");
        }
        var listener = new MemoryListener(this, address, options);
        bound.add(listener);
        return listener;
    }

    void forget(MemoryListener listener) {
        var bound = listeners.get(listener.address());
        if (bound == null) return;
        bound.remove(listener);
        if (bound.isEmpty()) listeners.remove(listener.address());
    }

    private SocketAddress withPort(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.getPort() != 0) return address;
        SocketAddress free;
        do {
            free = new InetSocketAddress(inet.getAddress(), nextPort());
        } while (listeners.containsKey(free));
        return free;
    }

    private int nextPort() {
        lastPort = lastPort == LAST_PORT ? FIRST_EPHEMERAL_PORT : lastPort + 1;
        return lastPort;
    }

    private static SocketAddress resolved(SocketAddress address) throws UnknownHostException {
        if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
            throw new UnknownHostException("unknown host " + inet.getHostString() + ": give an address");
        }
        return address;
    }

    static String shown(SocketAddress address) {
        var text = address.toString();
        return text.startsWith("/") && !(address instanceof UnixDomainSocketAddress) ? text.substring(1) : text;
    }

    // Connecting.

    /// A socket that is connecting: it opens or fails later.
    public MemorySocket connect(SocketAddress to) throws IOException {
        return connect(to, null);
    }

    /// From an address, or from one that the network chooses.
    public MemorySocket connect(SocketAddress to, @Nullable SocketAddress from) throws IOException {
        var remote = resolved(to);
        var local = from == null ? clientOf(remote) : withPort(resolved(from));
        var socket = new MemorySocket(this, 2 * connections++, local, remote, true);
        note("connect", socket.id(), 0);
        travel(socket, nowNanos + delayNanos(), () -> asked(socket));
        return socket;
    }

    private SocketAddress clientOf(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress inet)) return UnixDomainSocketAddress.of("");
        return new InetSocketAddress(isAny(inet) ? loopbackLike(inet) : inet.getAddress(), nextPort());
    }

    /// The connection request arrives.
    private void asked(MemorySocket client) {
        if (client.isGone() || luck.chance(conditions.silences())) return;
        var listener = find(client.remote());
        if (listener == null || refusing.contains(client.port()) || luck.chance(conditions.refusals())) {
            note("refuse", client.id(), 0);
            travel(client, nowNanos + delayNanos(), client::refused);
        } else if (listener.isFull()) {
            after(RETRY_NANOS, () -> asked(client));
        } else {
            answer(client, listener);
        }
    }

    /// The answer opens the client's end, and its answer to that the server's.
    private void answer(MemorySocket client, MemoryListener listener) {
        var server = client.otherEnd();
        var up = new Wire(this, client, server);
        var down = new Wire(this, server, client);
        client.join(server, down, up);
        server.join(client, up, down);
        if (luck.chance(conditions.resets())) {
            (luck.chance(0.5) ? client : server).resetAfter((int) luck.magnitude(1, CHUNKS_UNTIL_RESET) - 1);
        }
        listener.expect();
        down.carry(() -> {
            up.carry(() -> listener.arrived(server));
            client.established();
        });
    }

    private @Nullable MemoryListener find(SocketAddress to) {
        var bound = listeners.get(to);
        if (bound == null && to instanceof InetSocketAddress inet) bound = findInet(inet);
        return bound == null ? null : bound.get(luck.below(bound.size()));
    }

    /// As in a kernel, a wildcard listener listens on this address, and connecting to the wildcard means the
    /// loopback.
    private @Nullable List<MemoryListener> findInet(InetSocketAddress to) {
        if (isAny(to)) return listeners.get(new InetSocketAddress(loopbackLike(to), to.getPort()));
        for (var any : List.of("0.0.0.0", "::")) {
            var bound = listeners.get(new InetSocketAddress(literal(any), to.getPort()));
            if (bound != null) return bound;
        }
        return null;
    }

    private static boolean isAny(InetSocketAddress address) {
        return address.getAddress().isAnyLocalAddress();
    }

    private static InetAddress loopbackLike(InetSocketAddress address) {
        return literal(address.getAddress() instanceof Inet4Address ? "127.0.0.1" : "::1");
    }

    private static InetAddress literal(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
