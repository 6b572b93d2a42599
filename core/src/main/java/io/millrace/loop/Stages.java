package io.millrace.loop;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.net.Stage;
import java.io.IOException;
import java.util.List;

/// The stages of one connection, the first one next to the wire. Each is opened when the one before it is ready, and
/// the handler is made when the last one is. On the loop.
///
/// ```
///   received slab ─► [first] ─► … ─► [last] ─► the connection's input
///      transport ◄─ [first] ◄─ … ◄─ [last] ◄─ the connection's output
/// ```
final class Stages {
    private final TcpConnection connection;
    private final List<Stage> all;
    private final StagedBytes[] opened;
    private int count;

    /// All stages are ready, and the handler is made.
    private boolean isReady;

    Stages(TcpConnection connection, List<Stage> all) {
        this.connection = connection;
        this.all = all;
        this.opened = new StagedBytes[all.size()];
    }

    /// Opens the first stage, and further ones that are ready with it; the connection knows this object by now.
    void open() throws IOException {
        while (!isReady && connection.isOpen() && (count == 0 || last().link.isReady())) {
            if (count > 0) connection.announced(last().link);
            if (count < all.size()) openNext();
            else isReady = true;
        }
        if (isReady && connection.style() == null) connection.greet();
    }

    private void openNext() throws IOException {
        var next = new StagedBytes(connection, all.get(count), this, count);
        opened[count++] = next;
        next.open();
    }

    private StagedBytes last() {
        return opened[count - 1];
    }

    // From the wire.

    /// A slab has arrived.
    void received(Slab slab) throws IOException {
        opened[0].arrived(slab);
        goOn(0);
    }

    /// Passes what is in this stage on as far as the stages let it.
    private void goOn(int from) throws IOException {
        for (int i = from; i < count; i++) {
            opened[i].receive();
            if (!isReady) open();
            if (!connection.isOpen()) return;
            if (i + 1 < count && !opened[i].hasHandedOn()) return;
            if (i + 1 < count) opened[i + 1].arrived(opened[i]);
        }
    }

    /// A paused stage goes on.
    void resumed(int place) {
        try {
            goOn(place);
            connection.incoming.handedOn(this);
        } catch (IOException | RuntimeException e) {
            connection.threw(e);
        }
        connection.loop.markDirty(connection.outgoing);
    }

    /// What is for the handler: a chain of input slabs. Until there is a handler, it waits here.
    Chain handedOn() {
        return isReady ? last().handedOn() : new Chain();
    }

    boolean isPaused() {
        for (int i = 0; i < count; i++) if (opened[i].isPaused()) return true;
        return false;
    }

    /// The peer has ended.
    void ended() {
        opened[0].endCame();
    }

    /// Tells the stages of the ends that have arrived.
    ///
    /// @return whether nothing more comes for the handler
    /// @throws IOException when a stage reports that the end came too early
    boolean tellEnds() throws IOException {
        boolean hasEnded = false;
        for (int i = 0; i < count; i++) {
            if (hasEnded) opened[i].endCame();
            hasEnded = opened[i].tellEnd();
        }
        return hasEnded;
    }

    /// Whether the connection can go on without them.
    boolean areDone() {
        if (!isReady) return false;
        for (int i = 0; i < count; i++) if (!opened[i].isDone()) return false;
        return true;
    }

    // From the handler.

    /// What was written, as the network will see it.
    ///
    /// @param written of output slabs
    /// @param isLast  whether the connection ends its output: what is written later is lost
    Chain outgoing(Chain written, boolean isLast) throws IOException {
        var chain = written;
        boolean follows = !isLast;
        for (int i = count - 1; i >= 0; i--) {
            chain = opened[i].outgoing(chain, !follows);
            follows |= !opened[i].hasEndedOutput();
        }
        return chain;
    }

    /// How many outgoing bytes are in the stages.
    long outgoingBytes() {
        long bytes = 0;
        for (int i = 0; i < count; i++) bytes += opened[i].outgoingBytes();
        return bytes;
    }

    /// Whether the end of the connection has to wait for a stage.
    boolean holdsBack() {
        for (int i = 0; i < count; i++) if (opened[i].holdsBack()) return true;
        return false;
    }

    // The end.

    /// The stages are no longer called.
    void closed() {
        for (int i = 0; i < count; i++) {
            try {
                opened[i].closed();
            } catch (RuntimeException | Error e) {
                connection.loop.failed("stage", e);
            }
        }
    }

    /// The connection goes on without them.
    void leave() {
        closed();
        for (int i = 0; i < count; i++) opened[i].leave();
    }

    void release() {
        for (int i = 0; i < count; i++) opened[i].release();
    }

    /// Releases unsent output.
    void releaseOutput() {
        for (int i = 0; i < count; i++) opened[i].releaseOutput();
    }
}
