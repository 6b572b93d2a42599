package io.millrace.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.sim.network.MemorySocket;
import io.millrace.transport.Failure;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.ArrayDeque;

/// The other end of a connection, which a test scripts: its steps happen while the simulation runs, in pieces
/// and at moments chosen by the seed. It reads whatever arrives, until it is paused.
///
/// Only for the thread that drives the [Simulation]. Methods that add a step return this peer.
public final class Peer {
    private static final int MOST_AT_ONCE = 64 << 10;

    private final World world;
    private final MemorySocket socket;
    private final ArrayDeque<byte[]> outbox = new ArrayDeque<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    /// Bytes of the first array in the outbox that were sent.
    private int sentOfFirst;

    private boolean isPaused;
    private boolean wantsEnd;
    private boolean wantsClose;
    private boolean hasEnded;
    private boolean isClosed;
    private boolean isQueued;

    Peer(World world, MemorySocket socket) {
        this.world = world;
        this.socket = socket;
        socket.watch(this::actSoon);
        actSoon();
    }

    // What it does.

    /// Sends text as UTF-8.
    public Peer send(String text) {
        return send(text.getBytes(UTF_8));
    }

    /// Sends bytes, as fast as the network takes them.
    ///
    /// @throws IllegalStateException after [#end], [#close] or [#abort]
    public Peer send(byte... bytes) {
        if (wantsEnd || wantsClose || isClosed) {
            throw new IllegalStateException("this peer cannot send: its script has already ended the connection");
        }
        if (bytes.length > 0) outbox.add(bytes.clone());
        return soon();
    }

    /// Half-close: the other side sees the end after what was sent; reading goes on.
    public Peer end() {
        wantsEnd = true;
        return soon();
    }

    /// Closes the connection once everything is sent. If unread bytes have arrived by then, or arrive later,
    /// the other side is reset, as a kernel does.
    public Peer close() {
        wantsClose = true;
        return soon();
    }

    /// Resets the connection now, and drops its unsent bytes.
    public Peer abort() {
        world.use();
        isClosed = true;
        outbox.clear();
        socket.abort();
        return this;
    }

    /// Stops reading, so that the other side has to wait when the buffers are full.
    public Peer pause() {
        isPaused = true;
        return this;
    }

    /// Goes on reading.
    public Peer resume() {
        isPaused = false;
        return soon();
    }

    // What it has seen.

    /// Everything that has arrived so far, as UTF-8.
    public String received() {
        return received.toString(UTF_8);
    }

    /// Everything that has arrived so far.
    public byte[] receivedBytes() {
        return received.toByteArray();
    }

    /// How many bytes have arrived so far.
    public int receivedCount() {
        return received.size();
    }

    /// Whether it is connected, and neither reset nor closed by this peer; a half-closed one is open.
    public boolean isOpen() {
        return socket.isOpen();
    }

    /// Whether everything in the script was sent.
    public boolean hasSentAll() {
        return outbox.isEmpty();
    }

    /// Whether the other side has ended, after what was received.
    public boolean isEnded() {
        return socket.isAtEnd();
    }

    /// Whether the connection was reset, by the other side or by the network.
    public boolean isReset() {
        return socket.failure() == Failure.RESET;
    }

    /// Whether the connection was refused.
    public boolean isRefused() {
        return socket.failure() == Failure.REFUSED;
    }

    /// This peer's address, which the other side knows as its `remote()`.
    public SocketAddress local() {
        return socket.local();
    }

    @Override
    public String toString() {
        return "peer " + socket.local() + " of " + socket.remote();
    }

    // How it does it.

    private Peer soon() {
        world.use();
        actSoon();
        return this;
    }

    private void actSoon() {
        if (isQueued || isClosed) return;
        isQueued = true;
        world.soon(this::act);
    }

    private void act() {
        isQueued = false;
        if (isClosed) return;
        if (!isPaused && socket.readable() > 0) read();
        if (socket.isOpen()) write();
    }

    private void read() {
        var bytes = new byte[(int) world.luck.magnitude(1, Math.min(socket.readable(), MOST_AT_ONCE))];
        int count = socket.read(MemorySegment.ofArray(bytes), 0, bytes.length);
        received.write(bytes, 0, count);
        actSoon();
    }

    private void write() {
        if (outbox.isEmpty()) {
            finish();
            return;
        }
        var first = outbox.getFirst();
        int length = (int) world.luck.magnitude(1, Math.min(first.length - sentOfFirst, MOST_AT_ONCE));
        int count = socket.write(MemorySegment.ofArray(first), sentOfFirst, length);
        sentOfFirst += count;
        if (sentOfFirst == first.length) {
            outbox.remove();
            sentOfFirst = 0;
        }
        if (count > 0) actSoon();
    }

    private void finish() {
        if (wantsEnd && !hasEnded) {
            hasEnded = true;
            socket.end();
        }
        if (wantsClose) {
            isClosed = true;
            socket.close();
        }
    }
}
