package io.millrace.sim.network;

import io.millrace.transport.Failure;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// One end of a connection in a [MemoryNetwork], as a kernel keeps it, with its owner's operations and the
/// network's.
///
/// ```
///   CONNECTING ──answer──► OPEN ──────────┬─ close(), abort() ──► GONE
///       └── refusal ──► FAILED ◄── reset ─┘      all by then written still arrives after a close
/// ```
/// As in Linux, closing with unread bytes resets the peer, and so does sending to an end that is gone.
public final class MemorySocket {
    private enum State {
        CONNECTING,
        OPEN,
        FAILED,
        GONE
    }

    private final MemoryNetwork network;
    private final long id;
    private final SocketAddress local;
    private final SocketAddress remote;
    private State state;
    private @Nullable MemorySocket peer;
    private @Nullable Wire in;
    private @Nullable Wire out;
    private @Nullable Failure failure;
    private String detail = "";
    private Runnable watcher = () -> {};

    /// Chunks that may depart until the network resets this connection; negative when it will not.
    private int chunksUntilReset = -1;

    MemorySocket(MemoryNetwork network, long id, SocketAddress local, SocketAddress remote, boolean isConnecting) {
        this.network = network;
        this.id = id;
        this.local = local;
        this.remote = remote;
        this.state = isConnecting ? State.CONNECTING : State.OPEN;
    }

    /// Sets what is called when reading or writing became possible, or the socket failed. Called inside the
    /// network, so it must only take note.
    public void watch(Runnable changed) {
        watcher = changed;
    }

    /// This end's id, the same in each run of a seed.
    public long id() {
        return id;
    }

    public SocketAddress local() {
        return local;
    }

    public SocketAddress remote() {
        return remote;
    }

    /// The server's port, at both ends; none at a path.
    int port() {
        return (id % 2 == 0 ? remote : local) instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    // What the owner does.

    public boolean isOpen() {
        return state == State.OPEN;
    }

    /// Why it failed, or null.
    public @Nullable Failure failure() {
        return failure;
    }

    /// The failure as a sentence.
    public String detail() {
        return detail;
    }

    public int room() {
        return state == State.OPEN && out != null ? out.room() : 0;
    }

    /// Takes as many bytes as there is room for, or fewer, and returns how many.
    public int write(MemorySegment bytes, long offset, int length) {
        return room() == 0 || out == null ? 0 : out.write(bytes, offset, length);
    }

    public int readable() {
        return in == null ? 0 : in.readable();
    }

    public boolean isAtEnd() {
        return in != null && in.isAtEnd();
    }

    public int read(MemorySegment into, long offset, int length) {
        return in == null ? 0 : in.read(into, offset, length);
    }

    /// Half-close: the peer sees the end after what was written.
    public void end() {
        if (state == State.OPEN && out != null) out.end();
    }

    public void close() {
        if (readable() > 0) {
            abort();
            return;
        }
        boolean wasOpen = state == State.OPEN;
        leave();
        if (wasOpen && out != null) out.end();
    }

    public void abort() {
        boolean wasOpen = state == State.OPEN;
        leave();
        if (wasOpen) resetPeer();
    }

    private void leave() {
        state = State.GONE;
        watcher = () -> {};
    }

    // What the network does.

    /// The server's end of a client's connection.
    MemorySocket otherEnd() {
        SocketAddress itsLocal = remote;
        SocketAddress itsRemote = local;
        return new MemorySocket(network, id + 1, itsLocal, itsRemote, false);
    }

    void join(MemorySocket peer, Wire in, Wire out) {
        this.peer = peer;
        this.in = in;
        this.out = out;
    }

    Wire out() {
        return java.util.Objects.requireNonNull(out);
    }

    void resetAfter(int chunks) {
        chunksUntilReset = chunks;
    }

    boolean isGone() {
        return state == State.GONE;
    }

    void established() {
        if (state == State.CONNECTING) {
            state = State.OPEN;
            changed();
        } else if (state == State.GONE) {
            resetPeer();
        }
    }

    void refused() {
        if (state == State.CONNECTING) fail(Failure.REFUSED, "connecting to " + shown() + ": connection refused");
    }

    void changed() {
        watcher.run();
    }

    void received() {
        if (state == State.GONE) resetPeer();
        else changed();
    }

    void chunkDeparted() {
        if (chunksUntilReset < 0 || chunksUntilReset-- > 0) return;
        network.note("cut", id, 0);
        network.after(network.delayNanos(), this::wasReset);
        if (peer != null) network.after(network.delayNanos(), peer::wasReset);
    }

    private void resetPeer() {
        if (out == null || in == null || peer == null) return;
        out.cut();
        in.deafen();
        out.carryOvertaking(peer::wasReset);
    }

    /// A reset arrives. Earlier bytes may still be read, or are lost as well.
    void wasReset() {
        if (out == null || in == null) return;
        out.cut();
        in.deafen();
        network.note("reset", id, 0);
        if (state == State.GONE || state == State.FAILED) return;
        if (network.luck().chance(0.5)) in.discard();
        fail(Failure.RESET, "connection to " + shown() + ": reset by the peer");
    }

    private void fail(Failure kind, String sentence) {
        state = State.FAILED;
        failure = kind;
        detail = sentence;
        changed();
    }

    private String shown() {
        return MemoryNetwork.shown(remote);
    }
}
