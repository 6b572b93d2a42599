package io.millrace.loop;

import io.millrace.memory.Chain;
import io.millrace.memory.Loan;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.net.Connection;
import io.millrace.net.Overloaded;
import io.millrace.net.Stage;
import java.io.IOException;

/// The bytes in one [Stage] of a connection: inputs and outputs like those of user code, whose slabs only move.
///
/// ```
///   from the wire ─► wireIn ─ receive ─► app ─► to the handler
///   from the handler ─► appIn ─ send ─► wire ─► to the wire
/// ```
final class StagedBytes implements Stage.Context, LoopOutput.Watcher {
    private static final long LEAST_LIMIT_BYTES = 64 << 10;

    private final TcpConnection connection;
    private final Stages row;

    /// Its index there.
    private final int place;

    /// The loan to the thread that calls the stage.
    private final Loan loan = Loan.beside();

    private final LoopInput wireIn;
    private final LoopInput appIn;
    private final LoopOutput app;
    private final LoopOutput wire;
    final Stage.Link link;
    private boolean isPaused;

    /// The stage is no longer called.
    private boolean isClosed;

    /// Nothing more comes from the wire's side; first the link is not told yet, then it is.
    private boolean endHasCome;

    private boolean endWasTold;

    /// Nothing more follows towards the handler.
    private boolean hasEndedInput;

    /// It has written its last bytes.
    private boolean hasEndedOutput;

    StagedBytes(TcpConnection connection, Stage stage, Stages row, int place) {
        var pool = connection.loop.pool();
        this.connection = connection;
        this.row = row;
        this.place = place;
        this.wireIn = new LoopInput(pool, loan);
        this.appIn = new LoopInput(pool, loan);
        this.app = new LoopOutput(pool, Long.MAX_VALUE, this, loan);
        this.wire = new LoopOutput(pool, Long.MAX_VALUE, this, loan);
        this.link = stage.open(this);
    }

    /// Lets it write first; the connection knows it by now, and releases what it wrote if it throws.
    void open() throws IOException {
        loan.take();
        link.open(wire);
    }

    // From the wire.

    /// A slab from the kernel.
    void arrived(Slab slab) {
        wireIn.append(slab, Slab.Owner.KERNEL);
    }

    /// What comes from the stage before.
    void arrived(StagedBytes before) {
        wireIn.appendAll(before.app);
    }

    /// Shows the stage what has come.
    void receive() throws IOException {
        if (isPaused) return;
        wireIn.lend(connection.loop.pool());
        loan.take();
        try {
            link.receive(wireIn, app, wire);
        } finally {
            wireIn.endLoan(connection.loop.pool());
        }
        if (!isPaused) checkUnread();
        wireIn.compact();
        // The stage may have waited for what arrived.
        if (appIn.size() > 0) connection.loop.markDirty(connection.outgoing);
    }

    boolean hasHandedOn() {
        return !app.chain().isEmpty();
    }

    /// What the handler will see: a chain of input slabs.
    Chain handedOn() {
        app.chain().pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        return app.chain();
    }

    /// One of its own records must fit, even if a handler may leave nothing unread.
    private void checkUnread() throws Overloaded {
        long limit = Math.max(connection.settings.inputLimitBytes(), LEAST_LIMIT_BYTES);
        if (wireIn.size() < limit) return;
        var detail = "a stage left " + wireIn.size() + " bytes unread, the limit is " + limit
                + " (input.unread): let it read them, or raise Listen.inputLimit";
        CoreGuards.INPUT_UNREAD.acted(connection.remote(), detail);
        throw new Overloaded(detail);
    }

    /// Nothing more comes.
    void endCame() {
        endHasCome = true;
    }

    /// Tells the stage of the end, once it is not paused.
    ///
    /// @return whether it passes nothing more on
    boolean tellEnd() throws IOException {
        if (isPaused) return false;
        if (endHasCome && !endWasTold) {
            endWasTold = true;
            link.ended();
            hasEndedInput = true;
        }
        return hasEndedInput;
    }

    // From the handler.

    /// What was written, as the side next to the wire will see it.
    ///
    /// @param written of output slabs
    /// @param isLast whether nothing more follows: what is written later is lost
    Chain outgoing(Chain written, boolean isLast) throws IOException {
        if (hasEndedOutput) written.releaseAll(Slab.Owner.OUTPUT, connection.loop.pool());
        else hand(written);
        if (isLast && !hasEndedOutput && !holdsBack()) {
            hasEndedOutput = true;
            loan.take();
            link.end(wire);
        }
        return wire.chain();
    }

    private void hand(Chain written) throws IOException {
        if (written.isEmpty() && appIn.size() == 0) return;
        written.pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        appIn.appendAll(written);
        if (!isPaused) send();
        checkHeld();
        appIn.compact();
    }

    private void send() throws IOException {
        appIn.lend(connection.loop.pool());
        loan.take();
        try {
            link.send(appIn, wire);
        } finally {
            appIn.endLoan(connection.loop.pool());
        }
    }

    private void checkHeld() throws Overloaded {
        long limit = connection.settings.outputLimitBytes();
        if (appIn.size() <= limit) return;
        var detail = "a stage holds back " + appIn.size() + " bytes of output, the limit is " + limit
                + " (output.unsent): write less before it lets them go, or raise Listen.outputLimit";
        CoreGuards.OUTPUT_UNSENT.acted(connection.remote(), detail);
        throw new Overloaded(detail);
    }

    /// Whether the end has to wait for it. What a stage holds back while it waits for its peer is lost.
    boolean holdsBack() {
        return isPaused && appIn.size() > 0;
    }

    /// Whether the connection would be the same without it.
    boolean isDone() {
        boolean isUntouched = !isPaused && !endHasCome && !hasEndedInput && !hasEndedOutput;
        return link.isDone() && isUntouched && wireIn.size() + app.size() + outgoingBytes() == 0;
    }

    long outgoingBytes() {
        return appIn.size() + wire.size();
    }

    boolean hasEndedOutput() {
        return hasEndedOutput;
    }

    // Called by the stage.

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public void pause() {
        if (isClosed) return;
        isPaused = true;
        connection.incoming.update();
    }

    @Override
    public void resume() {
        connection.loop.returned(() -> {
            if (!isPaused || isClosed) return;
            isPaused = false;
            row.resumed(place);
        });
    }

    @Override
    public void ended() {
        hasEndedInput = true;
    }

    @Override
    public void fail(IOException cause) {
        connection.fail(cause);
    }

    @Override
    public void close(IOException cause) {
        connection.failWhenSent(cause);
    }

    boolean isPaused() {
        return isPaused;
    }

    void closed() {
        isClosed = true;
        link.closed();
    }

    // Memory.

    /// The connection goes on without it: what it wrote from now on would go nowhere.
    void leave() {
        release();
        loan.leave();
    }

    void release() {
        wireIn.release();
        app.release();
        releaseOutput();
    }

    /// Releases unsent output.
    void releaseOutput() {
        appIn.release();
        wire.release();
    }

    /// A stage may answer on its own.
    @Override
    public void outputBegan() {
        connection.loop.markDirty(connection.outgoing);
    }

    @Override
    public void outputIsFull() {
        throw new AssertionError("a stage's output has no mark");
    }
}
