package io.millrace.loop;

import io.millrace.memory.Chain;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.net.Stage;
import java.io.IOException;

/// A [Stage] between one connection and the wire: its inputs and outputs are those of user code, its slabs only
/// move.
///
/// ```
///   received slab ─► wireIn ─ receive ─► app  ─► the connection's input
///   the connection's output ─► appIn ─ send ─► wire ─► transport
/// ```
final class StagedBytes implements LoopOutput.Watcher {
    private final TcpConnection connection;
    private final Stage.Link link;
    private final LoopInput wireIn;
    private final LoopInput appIn;
    private final LoopOutput app;
    private final LoopOutput wire;
    private boolean hasEnded;

    StagedBytes(TcpConnection connection, Stage stage) {
        var pool = connection.loop.pool();
        this.connection = connection;
        this.wireIn = new LoopInput(pool);
        this.appIn = new LoopInput(pool);
        this.app = new LoopOutput(pool, Long.MAX_VALUE, this);
        this.wire = new LoopOutput(pool, Long.MAX_VALUE, this);
        this.link = stage.open(connection);
    }

    /// Its chance to speak first; the connection knows it by now, and gives back what it wrote when it throws.
    void open() throws IOException {
        link.open(wire);
    }

    /// What arrived, as the handler shall see it: a chain of input slabs.
    Chain received(Slab slab) throws IOException {
        wireIn.append(slab, Slab.Owner.KERNEL);
        wireIn.lend(connection.loop.pool());
        try {
            link.receive(wireIn, app, wire);
        } finally {
            wireIn.endLoan(connection.loop.pool());
        }
        app.chain().pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        return app.chain();
    }

    /// What was written, as the network shall see it. Not during a loan of the output.
    ///
    /// @param isLast whether the connection ends its output: what is written later is lost
    Chain outgoing(boolean isLast) throws IOException {
        if (hasEnded) connection.output.release();
        else hand(connection.output.chain());
        if (isLast && !hasEnded) {
            hasEnded = true;
            link.end(wire);
        }
        return wire.chain();
    }

    private void hand(Chain written) throws IOException {
        if (written.isEmpty()) return;
        written.pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        appIn.appendAll(written);
        appIn.lend(connection.loop.pool());
        try {
            link.send(appIn, wire);
        } finally {
            appIn.endLoan(connection.loop.pool());
        }
    }

    void ended() throws IOException {
        link.ended();
    }

    boolean isEmpty() {
        return wire.chain().isEmpty();
    }

    void release() {
        wireIn.release();
        app.release();
        releaseOutput();
    }

    /// What was not sent yet.
    void releaseOutput() {
        appIn.release();
        wire.release();
    }

    /// A stage may answer without the handler's doing.
    @Override
    public void outputBegan() {
        connection.loop.markDirty(connection.outgoing);
    }

    @Override
    public void outputIsFull() {
        throw new AssertionError("a stage's output has no mark");
    }
}
