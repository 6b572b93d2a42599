package io.millrace.loop;

import io.millrace.memory.Chain;
import io.millrace.memory.Loan;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.net.Overloaded;
import io.millrace.net.Stage;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/// A [Stage] between one connection and the wire: its inputs and outputs are those of user code, its slabs only
/// move.
///
/// ```
///   received slab ─► wireIn ─ receive ─► app  ─► the connection's input
///   the connection's output ─► appIn ─ send ─► wire ─► transport
/// ```
final class StagedBytes implements LoopOutput.Watcher {
    private static final long LEAST_LIMIT_BYTES = 64 << 10;

    private final TcpConnection connection;
    private final Stage.Link link;

    /// That of the thread which calls the stage.
    private final Loan loan = Loan.beside();

    private final LoopInput wireIn;
    private final LoopInput appIn;
    private final LoopOutput app;
    private final LoopOutput wire;
    private boolean hasEnded;

    StagedBytes(TcpConnection connection, Stage stage) {
        var pool = connection.loop.pool();
        this.connection = connection;
        this.wireIn = new LoopInput(pool, loan);
        this.appIn = new LoopInput(pool, loan);
        this.app = new LoopOutput(pool, Long.MAX_VALUE, this, loan);
        this.wire = new LoopOutput(pool, Long.MAX_VALUE, this, loan);
        this.link = stage.open(connection);
    }

    /// Its chance to speak first; the connection knows it by now, and gives back what it wrote when it throws.
    void open() throws IOException {
        loan.take();
        link.open(wire);
    }

    /// What arrived, as the handler shall see it: a chain of input slabs.
    Chain received(Slab slab) throws IOException {
        wireIn.append(slab, Slab.Owner.KERNEL);
        wireIn.lend(connection.loop.pool());
        loan.take();
        try {
            link.receive(wireIn, app, wire);
        } finally {
            wireIn.endLoan(connection.loop.pool());
        }
        checkUnread();
        wireIn.compact();
        // What arrived may be what it waited for.
        if (appIn.size() > 0) connection.loop.markDirty(connection.outgoing);
        // While what it hands on is still the stage's, which goes with the connection.
        connection.greetIfReady();
        app.chain().pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        assert app.chain().isEmpty() || connection.style() != null : "bytes for a handler that is not made yet";
        return app.chain();
    }

    /// A record of its own must fit, also where a handler is not to leave anything.
    private void checkUnread() throws Overloaded {
        long limit = Math.max(connection.settings.inputLimitBytes(), LEAST_LIMIT_BYTES);
        if (wireIn.size() < limit) return;
        var detail = "a stage left " + wireIn.size() + " bytes unread, the limit is " + limit
                + " (input.unread): let it read them, or raise Listen.inputLimit";
        Guard.INPUT_UNREAD.acted(connection.remote(), detail);
        throw new Overloaded(detail);
    }

    /// What was written, as the network shall see it.
    ///
    /// @param written of output slabs
    /// @param isLast whether the connection ends its output: what is written later is lost
    Chain outgoing(Chain written, boolean isLast) throws IOException {
        if (hasEnded) written.releaseAll(Slab.Owner.OUTPUT, connection.loop.pool());
        else hand(written);
        if (isLast && !hasEnded) {
            hasEnded = true;
            loan.take();
            link.end(wire);
        }
        return wire.chain();
    }

    private void hand(Chain written) throws IOException {
        if (written.isEmpty() && appIn.size() == 0) return;
        written.pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        appIn.appendAll(written);
        appIn.lend(connection.loop.pool());
        loan.take();
        try {
            link.send(appIn, wire);
        } finally {
            appIn.endLoan(connection.loop.pool());
        }
        checkHeld();
        appIn.compact();
    }

    private void checkHeld() throws Overloaded {
        long limit = connection.settings.outputLimitBytes();
        if (appIn.size() <= limit) return;
        var detail = "a stage holds back " + appIn.size() + " bytes of output, the limit is " + limit
                + " (output.unsent): write less before it lets them go, or raise Listen.outputLimit";
        Guard.OUTPUT_UNSENT.acted(connection.remote(), detail);
        throw new Overloaded(detail);
    }

    void ended() throws IOException {
        link.ended();
    }

    boolean isReady() {
        return link.isReady();
    }

    Optional<SocketAddress> remote() {
        return link.remote();
    }

    Optional<SocketAddress> local() {
        return link.local();
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
