package io.millrace.http.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// So many peers at a time that attack a server, on a thread of their own. One whose connection is gone begins
/// again.
final class Attackers implements AutoCloseable {
    private static final int TURN_MILLIS = 10;
    private static final int CONNECTS_PER_TURN = 100;
    private static final int SMALL_WINDOW = 4096;

    private final InetSocketAddress server;
    private final Attack attack;
    private final Peer[] peers;
    private final Selector selector = Selector.open();
    private final Queue<Peer> gone = new ArrayDeque<>();
    private final ByteBuffer drain = ByteBuffer.allocateDirect(64 << 10);
    private final LongAdder connects = new LongAdder();
    private final Thread thread;
    private volatile boolean isStopped;

    Attackers(InetSocketAddress server, Attack attack, int count) throws IOException {
        this.server = server;
        this.attack = attack;
        this.peers = new Peer[count];
        for (int i = 0; i < count; i++) {
            peers[i] = new Peer(i);
            gone.add(peers[i]);
        }
        thread = Thread.ofPlatform().daemon().name("attackers").start(this::run);
    }

    /// Connections that came to be.
    long connects() {
        return connects.sum();
    }

    /// Until each peer has been connected once.
    void awaitAll() throws InterruptedException {
        while (connects() < peers.length && thread.isAlive()) thread.join(TURN_MILLIS);
    }

    private final class Peer {
        private final InetAddress address;
        private @Nullable SocketChannel channel;
        private @Nullable SelectionKey key;
        private ByteBuffer unsent = ByteBuffer.allocate(0);
        private int next;

        Peer(int number) throws IOException {
            // From many addresses, each of which has ports enough.
            address = InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (1 + number % 250)});
        }

        void connect() throws IOException {
            var channel = SocketChannel.open();
            this.channel = channel;
            channel.configureBlocking(false);
            channel.bind(new InetSocketAddress(address, 0));
            // Its end leaves nothing behind that would hold the port.
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            if (!attack.reads()) channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_WINDOW);
            unsent = ByteBuffer.wrap(attack.opening);
            next = 0;
            key = channel.register(selector, SelectionKey.OP_CONNECT, this);
            if (channel.connect(server)) connected(key);
        }

        private void connected(SelectionKey key) {
            connects.increment();
            key.interestOps(interest());
        }

        private int interest() {
            int reading = attack.reads() ? SelectionKey.OP_READ : 0;
            return attack.periodMillis > 0 && !unsent.hasRemaining() ? reading : reading | SelectionKey.OP_WRITE;
        }

        void ready(SelectionKey key) throws IOException {
            var channel = (SocketChannel) key.channel();
            if (key.isConnectable() && channel.finishConnect()) connected(key);
            if (key.isValid() && key.isReadable()) read(channel);
            if (key.isValid() && key.isWritable()) write(channel, key);
        }

        private void read(SocketChannel channel) throws IOException {
            drain.clear();
            if (channel.read(drain) < 0) throw new IOException("the server has ended");
        }

        private void write(SocketChannel channel, SelectionKey key) throws IOException {
            if (!unsent.hasRemaining()) unsent = ByteBuffer.wrap(attack.more);
            channel.write(unsent);
            key.interestOps(interest());
        }

        /// A byte more.
        void drip() {
            var there = channel;
            if (there == null || !there.isConnected() || unsent.hasRemaining()) return;
            if (attack.more.length == 0) return;
            next = (next + 1) % attack.more.length;
            try {
                there.write(ByteBuffer.wrap(attack.more, next, 1));
            } catch (IOException _) {
                lose();
            }
        }

        void lose() {
            close();
            gone.add(this);
        }

        void close() {
            var there = channel;
            channel = null;
            if (key != null) key.cancel();
            try {
                if (there != null) there.close();
            } catch (IOException _) {
                // It is gone.
            }
        }
    }

    private void run() {
        try {
            int at = 0;
            while (!isStopped) {
                connectSome();
                selector.select(this::ready, TURN_MILLIS);
                if (attack.periodMillis > 0) at = dripSome(at);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } finally {
            for (var peer : peers) peer.close();
        }
    }

    private void connectSome() {
        for (int i = 0; i < CONNECTS_PER_TURN && !gone.isEmpty(); i++) {
            var peer = gone.remove();
            try {
                peer.connect();
            } catch (IOException _) {
                peer.lose();
            }
        }
    }

    private void ready(SelectionKey key) {
        var peer = (Peer) key.attachment();
        try {
            peer.ready(key);
        } catch (IOException | java.nio.channels.CancelledKeyException _) {
            peer.lose();
        }
    }

    /// Each gets its turn once in a period, as long as turns take what they should.
    private int dripSome(int from) {
        int count = Math.max(1, peers.length * TURN_MILLIS / attack.periodMillis);
        for (int i = 0; i < count; i++) peers[(from + i) % peers.length].drip();
        return (from + count) % peers.length;
    }

    @Override
    public void close() {
        isStopped = true;
        selector.wakeup();
        try {
            thread.join();
            selector.close();
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
