package io.millrace.transport;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// A connection of [Nio].
///
/// ```
///   CONNECTING ──connected──► OPEN          close, abort: from each ──► CLOSED
///       └─────────failed────────┴──► FAILED
/// ```
final class NioConnection extends NioSocket {
    /// How many slabs one event may fill: a fast peer must not keep the loop from the others.
    private static final int SLABS_PER_EVENT = 4;

    private enum State {
        CONNECTING,
        OPEN,
        FAILED,
        CLOSED
    }

    private final SocketChannel channel;
    private final SlabPool pool;
    private final Gather gather;
    private final Queue<NioSocket> due;
    private final SocketAddress remote;
    private SocketAddress local;
    private @Nullable SelectionKey key;

    private State state = State.CONNECTING;
    private boolean isReceiving;
    private boolean hasEnded;

    /// The interest set in the selector; changing it costs a lock and a system call.
    private int interest;

    /// The rest of the current send, and how much went before `sent` could report it.
    private final Chain pending = new Chain();

    private long unreported;

    /// A failure outside of a poll.
    private @Nullable IOException failure;

    NioConnection(SocketChannel channel, SocketAddress remote, SlabPool pool, Gather gather, Queue<NioSocket> due) {
        this.channel = channel;
        this.remote = remote;
        this.local = NioAddresses.unbound(remote);
        this.pool = pool;
        this.gather = gather;
        this.due = due;
    }

    void register(Selector selector) throws IOException {
        key = channel.register(selector, 0, this);
    }

    /// Begins to connect; returns true when the result is already known and waits for delivery.
    boolean connect(@Nullable SocketAddress from) {
        try {
            if (from != null) bind(from);
            if (channel.connect(remote)) return true;
        } catch (IOException refused) {
            failure = refused;
            return true;
        }
        tellSelector();
        return false;
    }

    private void bind(SocketAddress from) throws IOException {
        try {
            channel.bind(from);
        } catch (IOException e) {
            throw new BindException("from " + NioAddresses.text(from) + ": " + e.getMessage());
        }
    }

    void adopted() throws IOException {
        local = channel.getLocalAddress();
        state = State.OPEN;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    void receive(boolean on) {
        isReceiving = on;
        tellSelector();
    }

    /// Sends at once what the kernel takes; see [Transport#send].
    boolean send(Chain bytes) {
        if (!pending.isEmpty()) throw new IllegalStateException("a send of this socket is under way");
        try {
            long sent = gather.write(channel, bytes);
            if (bytes.isEmpty()) return true;
            pending.appendAll(bytes);
            unreported = sent;
            tellSelector();
        } catch (IOException broken) {
            bytes.releaseAll(Slab.Owner.KERNEL, pool);
            failLater(broken);
        }
        return false;
    }

    void end() {
        if (state != State.OPEN) return;
        if (!pending.isEmpty()) throw new IllegalStateException("a send of this socket is under way");
        try {
            channel.shutdownOutput();
        } catch (IOException broken) {
            failLater(broken);
        }
    }

    void abort() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException _) {
            // The connection is gone, so no peer would see a reset.
        }
        close();
    }

    @Override
    void close() {
        state = State.CLOSED;
        letGo();
    }

    @Override
    void ready(int operations, Completions to) {
        if ((operations & OP_CONNECT) != 0) finishConnect(to);
        // First what arrived: it came before the reset that a write would meet.
        if ((operations & OP_READ) != 0) read(to);
        if ((operations & OP_WRITE) != 0) write(to);
    }

    @Override
    void deliver(Completions to) {
        if (state == State.CONNECTING) {
            if (failure == null) opened(to);
            else fail(failure, to);
        } else if (state == State.OPEN && failure != null) {
            read(to);
            if (state == State.OPEN) fail(failure, to);
        }
    }

    private void finishConnect(Completions to) {
        if (state != State.CONNECTING) return;
        try {
            if (channel.finishConnect()) opened(to);
        } catch (IOException refused) {
            fail(refused, to);
        }
    }

    private void opened(Completions to) {
        try {
            adopted();
        } catch (IOException broken) {
            fail(broken, to);
            return;
        }
        tellSelector();
        to.connected(number);
    }

    private void read(Completions to) {
        for (int slabs = 0; slabs < SLABS_PER_EVENT && wantsToRead(); slabs++) {
            var slab = pool.takeForReceive();
            if (slab == null) {
                receive(false);
                to.starved(number);
                return;
            }
            if (!read(slab, to)) return;
        }
    }

    /// Returns true when the slab was filled, so that there may be more.
    private boolean read(Slab slab, Completions to) {
        int length;
        try {
            length = channel.read(slab.view().clear());
        } catch (IOException broken) {
            pool.give(slab, Slab.Owner.KERNEL);
            fail(broken, to);
            return false;
        }
        if (length > 0) {
            slab.end = length;
            to.received(number, slab);
            return length == slab.capacity();
        }
        pool.give(slab, Slab.Owner.KERNEL);
        if (length < 0) ended(to);
        return false;
    }

    private void ended(Completions to) {
        hasEnded = true;
        tellSelector();
        to.ended(number);
    }

    private void write(Completions to) {
        if (state != State.OPEN || pending.isEmpty()) return;
        long sent;
        try {
            sent = gather.write(channel, pending) + unreported;
        } catch (IOException broken) {
            fail(broken, to);
            return;
        }
        if (sent == 0) return;
        unreported = 0;
        boolean done = pending.isEmpty();
        if (done) tellSelector();
        to.sent(number, sent, done);
    }

    private void fail(IOException cause, Completions to) {
        boolean wasOpen = state == State.OPEN;
        state = State.FAILED;
        letGo();
        if (wasOpen) to.failed(number, NioFailures.kind(cause, Failure.RESET), NioFailures.transfer(remote, cause));
        else to.failed(number, NioFailures.kind(cause, Failure.REFUSED), NioFailures.connect(remote, cause));
    }

    /// Results are delivered by a poll, even those known before.
    private void failLater(IOException cause) {
        if (failure != null) return;
        failure = cause;
        due.add(this);
    }

    private void letGo() {
        pending.releaseAll(Slab.Owner.KERNEL, pool);
        NioFailures.closeQuietly(channel);
    }

    private boolean wantsToRead() {
        return state == State.OPEN && isReceiving && !hasEnded;
    }

    private void tellSelector() {
        int wanted = interestNow();
        if (wanted == interest || key == null || !key.isValid()) return;
        interest = wanted;
        key.interestOps(wanted);
    }

    private int interestNow() {
        return switch (state) {
            case CONNECTING -> OP_CONNECT;
            case OPEN -> (wantsToRead() ? OP_READ : 0) | (pending.isEmpty() ? 0 : OP_WRITE);
            case FAILED, CLOSED -> 0;
        };
    }

    @Override
    public SocketAddress local() {
        return local;
    }

    @Override
    public SocketAddress remote() {
        return remote;
    }

    @Override
    SocketChannel channel() {
        return channel;
    }
}
