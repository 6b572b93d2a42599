package io.millrace.sim.network;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.net.LinuxSocketOptions;
import io.millrace.transport.Completions;
import io.millrace.transport.SocketTable;
import io.millrace.transport.Transport;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// Sockets of a [MemoryNetwork]. A poll with a timeout moves the network's time; what it delivers, how much of it
/// and in which order is the network's luck.
public final class Memory implements Transport {
    private static final Set<SocketOption<?>> OPTIONS = Set.of(
            StandardSocketOptions.TCP_NODELAY,
            StandardSocketOptions.SO_KEEPALIVE,
            StandardSocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_SNDBUF,
            StandardSocketOptions.SO_REUSEADDR,
            StandardSocketOptions.SO_REUSEPORT,
            StandardSocketOptions.SO_LINGER,
            StandardSocketOptions.IP_TOS,
            LinuxSocketOptions.TCP_USER_TIMEOUT,
            ExtendedSocketOptions.TCP_KEEPIDLE,
            ExtendedSocketOptions.TCP_KEEPINTERVAL,
            ExtendedSocketOptions.TCP_KEEPCOUNT,
            ExtendedSocketOptions.TCP_QUICKACK);

    private final SlabPool pool;
    private final MemoryNetwork network;
    private final Luck luck;
    private final Runnable onWakeUp;
    private final Semaphore wakeUps = new Semaphore(0);
    private final SocketTable<Entry> sockets = new SocketTable<>();

    /// Sockets to check for something to deliver.
    private final ArrayList<Entry> queue = new ArrayList<>();

    public Memory(SlabPool pool, MemoryNetwork network) {
        this(pool, network, () -> {});
    }

    /// @param onWakeUp called by [#wakeup], on its thread
    public Memory(SlabPool pool, MemoryNetwork network, Runnable onWakeUp) {
        this.pool = pool;
        this.network = network;
        this.luck = network.luck();
        this.onWakeUp = onWakeUp;
    }

    @Override
    public String name() {
        return "memory";
    }

    /// Whether the next poll may have something to deliver.
    public boolean isReady() {
        return !queue.isEmpty();
    }

    @Override
    public boolean poll(long timeoutNanos, Completions to) {
        long untilNanos = timeoutNanos == Long.MAX_VALUE ? timeoutNanos : network.nowNanos() + timeoutNanos;
        boolean wasWoken = wakeUps.drainPermits() > 0;
        to.awake();
        while (!deliver(to)) {
            if (wasWoken || network.nowNanos() >= untilNanos) return false;
            if (network.nextEventNanos() <= untilNanos && network.nextEventNanos() != Long.MAX_VALUE) network.happen();
            else if (untilNanos == Long.MAX_VALUE) wasWoken = waitForWakeUp();
            else network.advanceTo(untilNanos);
            to.awake();
        }
        return true;
    }

    private boolean waitForWakeUp() {
        wakeUps.acquireUninterruptibly();
        return true;
    }

    @Override
    public void wakeup() {
        onWakeUp.run();
        wakeUps.release();
    }

    /// Delivers a random share of what there is, one completion of one socket at a time.
    private boolean deliver(Completions to) {
        if (queue.isEmpty()) return false;
        boolean delivered = false;
        int left = 1 + luck.below(queue.size());
        while (left > 0 && !queue.isEmpty()) {
            if (!serve(takeAny(), to)) continue;
            delivered = true;
            left--;
        }
        return delivered;
    }

    private Entry takeAny() {
        int place = luck.below(queue.size());
        var last = queue.removeLast();
        var taken = place == queue.size() ? last : queue.set(place, last);
        taken.isQueued = false;
        return taken;
    }

    private void serveLater(Entry entry) {
        if (entry.isQueued || entry.isClosed) return;
        entry.isQueued = true;
        queue.add(entry);
    }

    private boolean serve(Entry entry, Completions to) {
        if (entry.isClosed || entry.hasFailed) return false;
        if (entry.listener != null) return accept(entry, entry.listener, to);
        var socket = entry.socket();
        boolean mayReceive = entry.isReceiving && !entry.isConnecting;
        if (socket.failure() != null && !(mayReceive && socket.readable() > 0)) return fail(entry, socket, to);
        if (entry.isConnecting) return connected(entry, socket, to);
        boolean canReceive = mayReceive && (socket.readable() > 0 || (socket.isAtEnd() && !entry.hasEnded));
        boolean canSend = !entry.pending.isEmpty() && socket.room() > 0;
        if (canReceive && canSend) serveLater(entry);
        if (canSend && (!canReceive || luck.chance(0.5))) return sendPending(entry, socket, to);
        return canReceive && receive(entry, socket, to);
    }

    private boolean accept(Entry entry, MemoryListener listener, Completions to) {
        if (!entry.isReceiving) return false;
        var accepted = listener.accept();
        if (accepted == null) return false;
        serveLater(entry);
        network.note("accepted", accepted.id(), 0);
        to.accepted(entry.number, new AcceptedSocket(accepted));
        return true;
    }

    private record AcceptedSocket(MemorySocket socket) implements Accepted {
        @Override
        public void discard() {
            socket.close();
        }
    }

    private boolean connected(Entry entry, MemorySocket socket, Completions to) {
        if (!socket.isOpen()) return false;
        entry.isConnecting = false;
        serveLater(entry);
        network.note("connected", socket.id(), 0);
        to.connected(entry.number);
        return true;
    }

    private boolean fail(Entry entry, MemorySocket socket, Completions to) {
        entry.hasFailed = true;
        entry.isReceiving = false;
        entry.pending.releaseAll(Slab.Owner.KERNEL, pool);
        var kind = socket.failure();
        assert kind != null;
        network.note("failed", socket.id(), 0);
        to.failed(entry.number, kind, socket.detail());
        return true;
    }

    private boolean receive(Entry entry, MemorySocket socket, Completions to) {
        if (socket.readable() == 0) return ended(entry, socket, to);
        var slab = pool.takeForReceive();
        if (slab == null) {
            entry.isReceiving = false;
            network.note("starved", socket.id(), 0);
            to.starved(entry.number);
            return true;
        }
        slab.end = socket.read(slab.memory, 0, slab.capacity());
        serveLater(entry);
        network.note("received", socket.id(), slab.end);
        to.received(entry.number, slab);
        return true;
    }

    private boolean ended(Entry entry, MemorySocket socket, Completions to) {
        entry.isReceiving = false;
        entry.hasEnded = true;
        network.note("ended", socket.id(), 0);
        to.ended(entry.number);
        return true;
    }

    @Override
    public void receive(int number, boolean on) {
        var entry = sockets.get(number);
        if (entry == null) return;
        entry.isReceiving = on;
        if (on) serveLater(entry);
    }

    @Override
    public boolean send(int number, Chain bytes) {
        bytes.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        var entry = sockets.get(number);
        if (entry == null || entry.hasFailed) {
            bytes.releaseAll(Slab.Owner.KERNEL, pool);
            return true;
        }
        if (!entry.pending.isEmpty()) throw new IllegalStateException("two sends at a time");
        entry.unreported = write(bytes, entry.socket());
        if (bytes.isEmpty()) {
            entry.unreported = 0;
            return true;
        }
        entry.pending.appendAll(bytes);
        serveLater(entry);
        return false;
    }

    private boolean sendPending(Entry entry, MemorySocket socket, Completions to) {
        long count = write(entry.pending, socket) + entry.unreported;
        entry.unreported = 0;
        if (count == 0) return false;
        network.note("sent", socket.id(), count);
        to.sent(entry.number, count, entry.pending.isEmpty());
        return true;
    }

    /// Writes until the socket takes no more; written slabs are returned.
    private long write(Chain bytes, MemorySocket socket) {
        long total = 0;
        for (var slab = bytes.head(); slab != null; slab = bytes.head()) {
            int length = slab.readable();
            int count = socket.write(slab.memory, slab.start, length);
            bytes.drop(count, Slab.Owner.KERNEL, pool);
            total += count;
            if (count < length) break;
        }
        return total;
    }

    @Override
    public int listen(SocketAddress at, ListenOptions options) throws IOException {
        var entry = new Entry(check(options.accepted()));
        var listener = network.listen(at, options);
        entry.listener = listener;
        listener.watch(() -> serveLater(entry));
        return register(entry);
    }

    @Override
    public int connect(SocketAddress to, @Nullable SocketAddress from, SocketOptions options) throws IOException {
        var entry = new Entry(check(options));
        entry.isConnecting = true;
        return register(entry, network.connect(to, from));
    }

    @Override
    public int adopt(Accepted accepted, SocketOptions options) throws IOException {
        return register(new Entry(check(options)), ((AcceptedSocket) accepted).socket);
    }

    private int register(Entry entry, MemorySocket socket) throws IOException {
        entry.socket = socket;
        socket.watch(() -> serveLater(entry));
        serveLater(entry);
        return register(entry);
    }

    private int register(Entry entry) throws IOException {
        entry.number = sockets.add(entry);
        return entry.number;
    }

    @Override
    public void end(int number) {
        var entry = sockets.get(number);
        if (entry != null) entry.socket().end();
    }

    @Override
    public void close(int number) {
        var entry = forget(number);
        if (entry == null) return;
        if (entry.listener != null) entry.listener.close();
        else entry.socket().close();
    }

    @Override
    public void abort(int number) {
        var entry = forget(number);
        if (entry == null) return;
        if (entry.listener != null) entry.listener.close();
        else entry.socket().abort();
    }

    private @Nullable Entry forget(int number) {
        var entry = sockets.remove(number);
        if (entry == null) return null;
        entry.isClosed = true;
        entry.pending.releaseAll(Slab.Owner.KERNEL, pool);
        return entry;
    }

    @Override
    public Addresses addresses(int number) {
        return existing(number);
    }

    @Override
    public <T> void option(int number, SocketOption<T> name, T value) throws IOException {
        check(new SocketOptions(Map.of(name, value)));
        existing(number).options.put(name, value);
    }

    @Override
    public <T> T option(int number, SocketOption<T> name) throws IOException {
        requireKnown(name);
        var value = existing(number).options.get(name);
        if (value != null) return name.type().cast(value);
        boolean isOn = name.equals(StandardSocketOptions.TCP_NODELAY);
        return name.type().cast(name.type() == Boolean.class ? (Object) isOn : (Object) 0);
    }

    private static SocketOptions check(SocketOptions options) {
        for (var option : options.values().entrySet()) {
            var name = option.getKey();
            requireKnown(name);
            if (name.type().isInstance(option.getValue())) continue;
            throw new IllegalArgumentException("socket option " + name.name() + " cannot be " + option.getValue()
                    + ": it takes a " + name.type().getSimpleName());
        }
        return options;
    }

    private static void requireKnown(SocketOption<?> name) {
        if (OPTIONS.contains(name)) return;
        throw new UnsupportedOperationException("memory has no socket option " + name.name() + ": leave it out");
    }

    private Entry existing(int number) {
        var entry = sockets.get(number);
        if (entry == null) throw new IllegalStateException("the socket is closed");
        return entry;
    }

    @Override
    public void close() {
        sockets.forEach(entry -> close(entry.number));
    }

    /// A listener or a connection, and what its owner has asked for.
    private static final class Entry implements Addresses {
        final Chain pending = new Chain();
        final Map<SocketOption<?>, Object> options;

        @Nullable
        MemoryListener listener;

        @Nullable
        MemorySocket socket;

        int number;
        boolean isConnecting;
        boolean isReceiving;
        boolean isQueued;
        boolean isClosed;
        boolean hasEnded;
        boolean hasFailed;

        /// Bytes of the current send that went at once.
        long unreported;

        Entry(SocketOptions options) {
            this.options = new HashMap<>(options.values());
        }

        @Override
        public SocketAddress local() {
            return listener == null ? socket().local() : listener.address();
        }

        @Override
        public SocketAddress remote() {
            return socket().remote();
        }

        MemorySocket socket() {
            assert socket != null : "a listener does not send or receive";
            return socket;
        }
    }
}
