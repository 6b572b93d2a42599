package io.millrace.transport;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The transport for every system with a JDK: non-blocking channels and one selector. TCP over IPv4 and IPv6,
/// and Unix sockets.
///
/// Limitations of the JDK that the other transports do not have:
///
/// - A connection that is not receiving and not sending does not notice a reset; it does at the next send, or
///   when receiving is turned on again. The same holds after the peer has ended.
/// - The kernel learns of `close` and `abort` in the next [#poll], or in [#close()]: a channel releases its
///   descriptor when its selector selects. A connection's end is sent at once; a reset, and freeing the port,
///   wait for that.
/// - `abort` of a Unix socket looks like an end to the peer.
/// - A wait is rounded up to milliseconds.
/// - A gathered send allocates a few dozen bytes for each slab; sending one slab and receiving allocate nothing.
public final class Nio implements Transport {
    private final Selector selector;
    private final SlabPool pool;
    private final SocketTable<NioSocket> sockets = new SocketTable<>();
    private final Gather gather;

    /// Sockets with a result that no selection will report.
    private final ArrayDeque<NioSocket> due = new ArrayDeque<>();

    /// Set by any thread together with the selector's own mark, which costs a lock; cleared by the loop's thread.
    private final AtomicBoolean isWoken = new AtomicBoolean();

    /// What a selection found, delivered when it is over: a selector holds monitors while it passes its keys,
    /// and a thread that holds a monitor must not run a virtual thread (when that parks, the JVM would move the
    /// monitor with it, and crash).
    private final ArrayList<SelectionKey> selected = new ArrayList<>();

    private final Consumer<SelectionKey> select = selected::add;

    /// How many of these are delivered; the others wait for the next poll, which selects nothing.
    private int delivered;

    /// A transport for the thread that will call it; other threads only call [#wakeup].
    ///
    /// @param pool provides slabs for received bytes, and takes back those that were sent
    /// @throws IOException when the system has no descriptors for a selector
    public Nio(SlabPool pool) throws IOException {
        this.pool = pool;
        this.gather = new Gather(pool);
        this.selector = Selector.open();
    }

    @Override
    public String name() {
        return "nio";
    }

    @Override
    public int listen(SocketAddress at, ListenOptions options) throws IOException {
        var listener = new NioListener(at, options);
        try {
            listener.register(selector);
            return add(listener);
        } catch (IOException | RuntimeException failure) {
            listener.close();
            throw failure;
        }
    }

    /// Even a failure that is known at once is delivered by the next poll.
    ///
    /// @throws IOException              when the host is not resolved, or the kernel refuses an option
    /// @throws IllegalArgumentException when it is neither a TCP nor a Unix socket address
    @Override
    public int connect(SocketAddress to, @Nullable SocketAddress from, SocketOptions options) throws IOException {
        var family = NioAddresses.family(to);
        SocketChannel channel;
        try {
            channel = SocketChannel.open(family);
        } catch (UnsupportedOperationException _) {
            throw NioAddresses.unsupported(to);
        } catch (IOException failure) {
            var unopened = new NioUnopened(to, failure);
            add(unopened);
            due.add(unopened);
            return unopened.number;
        }
        var connection = add(channel, options, to);
        if (connection.connect(from)) due.add(connection);
        return connection.number;
    }

    /// Owns the connection from now on, and closes it when this throws.
    ///
    /// @throws IllegalArgumentException when another kind of transport accepted it
    @Override
    public int adopt(Accepted accepted, SocketOptions options) throws IOException {
        if (!(accepted instanceof NioAccepted(SocketChannel channel))) {
            throw new IllegalArgumentException(
                    "nio cannot adopt " + accepted + ": give it to a transport of the kind that accepted it");
        }
        var connection = add(channel, options, channel.getRemoteAddress());
        connection.adopted();
        return connection.number;
    }

    @Override
    public void receive(int socket, boolean on) {
        var known = sockets.get(socket);
        if (known != null) known.receive(on);
    }

    @Override
    public boolean send(int socket, Chain bytes) {
        bytes.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        if (sockets.get(socket) instanceof NioConnection connection && connection.isOpen()) {
            return connection.send(bytes);
        }
        bytes.releaseAll(Slab.Owner.KERNEL, pool);
        return true;
    }

    @Override
    public void end(int socket) {
        if (sockets.get(socket) instanceof NioConnection connection) connection.end();
    }

    @Override
    public void close(int socket) {
        var known = sockets.remove(socket);
        if (known != null) known.close();
    }

    @Override
    public void abort(int socket) {
        var known = sockets.remove(socket);
        if (known instanceof NioConnection connection) connection.abort();
        else if (known != null) known.close();
    }

    @Override
    public boolean poll(long timeoutNanos, Completions to) {
        if (selected.isEmpty()) select(due.isEmpty() ? timeoutNanos : 0);
        to.awake();
        int count = deliverDue(to) + deliverSelected(to);
        if (isWoken.get()) isWoken.set(false);
        // An interrupted thread's selections never wait: the loop would spin for an interrupt not meant for it.
        Thread.interrupted();
        return count > 0;
    }

    @Override
    public void wakeup() {
        if (!isWoken.get() && isWoken.compareAndSet(false, true)) selector.wakeup();
    }

    @Override
    public Addresses addresses(int socket) {
        return known(socket);
    }

    @Override
    public <T> void option(int socket, SocketOption<T> name, T value) throws IOException {
        NioOptions.set(known(socket).channel(), name, value);
    }

    @Override
    public <T> T option(int socket, SocketOption<T> name) throws IOException {
        return NioOptions.get(known(socket).channel(), name);
    }

    @Override
    public void close() {
        sockets.forEach(socket -> close(socket.number));
        due.clear();
        try {
            selector.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("the selector cannot be closed", failure);
        }
    }

    private NioConnection add(SocketChannel channel, SocketOptions options, SocketAddress remote) throws IOException {
        try {
            channel.configureBlocking(false);
            NioOptions.apply(channel, options);
            var connection = new NioConnection(channel, remote, pool, gather, due);
            connection.register(selector);
            add(connection);
            return connection;
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    private int add(NioSocket socket) throws IOException {
        socket.number = sockets.add(socket);
        return socket.number;
    }

    private int deliverDue(Completions to) {
        // Only those due now: a receiver that retries what fails at once must not keep the loop here.
        int count = due.size();
        for (int i = 0; i < count; i++) due.remove().deliver(to);
        return count;
    }

    private int deliverSelected(Completions to) {
        int first = delivered;
        int end = Math.min(first + Portions.EVENTS, selected.size());
        while (delivered < end) ready(selected.get(delivered++), to);
        if (end == selected.size()) {
            selected.clear();
            delivered = 0;
        }
        return end - first;
    }

    private void select(long timeoutNanos) {
        try {
            if (timeoutNanos <= 0) selector.selectNow(select);
            else selector.select(select, millis(timeoutNanos));
        } catch (IOException failure) {
            throw new UncheckedIOException("the selector failed", failure);
        }
    }

    /// For a selector, 0 means no limit.
    private static long millis(long nanos) {
        return nanos == Long.MAX_VALUE ? 0 : Math.ceilDiv(nanos, 1_000_000L);
    }

    private static void ready(SelectionKey key, Completions to) {
        // A receiver may just have closed it, when another event of the same selection was delivered.
        if (key.isValid()) ((NioSocket) key.attachment()).ready(key.readyOps(), to);
    }

    private NioSocket known(int socket) {
        var known = sockets.get(socket);
        if (known == null) throw new IllegalStateException("socket " + socket + " is closed");
        return known;
    }
}
