package io.millrace.loop;

import io.millrace.memory.Loan;
import io.millrace.memory.SlabSource;
import org.jspecify.annotations.Nullable;

/// One stream of a connection, for which user code is called where [StreamCalls] says, one call at a time. The
/// connection itself stays on the loop; each call is a loan of the stream alone.
///
/// ```
///   loop:     due ── prepare, lend ──►              ◄── finish; and lend again if a call became due meanwhile
///   thread:                  call(source)
/// ```
/// On the loop, a call is made at once, and never within another one of the same stream.
///
/// A call that throws costs its stream, and not the connection with all the others.
public abstract class LentStream implements LentCall {
    private final TcpConnection connection;
    private final StreamCalls calls;

    /// None where calls are made on the loop: then nothing is lent.
    private final @Nullable Loan loan;

    /// The loop's.
    private boolean isDue;

    /// A call on the loop is being made.
    private boolean isBusy;

    protected LentStream(TcpConnection connection, StreamCalls calls) {
        this.connection = connection;
        this.calls = calls;
        this.loan = calls.areOnLoop() ? null : new Loan(connection.loop);
    }

    // For the version; on the loop.

    /// A call is due.
    public final void due() {
        isDue = true;
        if (isBusy || isLent()) return;
        if (calls.areOnLoop()) callHere();
        else lend();
    }

    /// Runs a task on the loop soon, and not from within this; never once the loop is gone. Any thread.
    public final void later(Runnable task) {
        connection.loop.returned(task);
    }

    /// Whether another thread has the stream now.
    public final boolean isLent() {
        return loan != null && loan.isOut();
    }

    /// Whether no call is being made.
    public final boolean isAtRest() {
        return !isBusy && !isLent();
    }

    /// Takes what the next call is about, before it begins. On the loop.
    ///
    /// @return false if there is nothing to call for
    protected abstract boolean prepare();

    /// Calls user code, which has the stream.
    ///
    /// @param source of slabs, for the calling thread
    protected abstract void call(SlabSource source);

    /// The call threw, which was logged, and still has the stream: what it carries ends early. If that fails, too,
    /// the connection ends.
    protected abstract void failed(Throwable thrown);

    /// The stream is back. On the loop.
    protected abstract void finish();

    /// The loop is gone, and the stream with it: releases what user code has.
    protected abstract void loopIsGone();

    // For the code that is called.

    /// Whether the calling thread has the stream. Any thread.
    public final boolean isInCall() {
        return loan == null ? isBusy && connection.loop.inLoop() : loan.isOut() && loan.isCallers();
    }

    /// The calling thread's call goes on without the stream, whose next call may come at once.
    public final void leaveCall() {
        var lent = loan();
        lent.require();
        lent.leave();
        giveBack();
    }

    // Calls.

    private void callHere() {
        while (isDue && !isBusy) {
            isDue = false;
            if (!prepare()) continue;
            isBusy = true;
            try {
                call(connection.loop.pool());
            } catch (Throwable e) {
                threw(e);
            } finally {
                isBusy = false;
                // The interrupt was meant for this call, and the next one is another stream's.
                Thread.interrupted();
            }
            finish();
        }
    }

    private void lend() {
        isDue = false;
        if (!prepare()) return;
        loan().lend(null);
        connection.loop.threads().loanBegan();
        calls.make(this);
    }

    @Override
    public final Standing standing() {
        return calls.standing();
    }

    /// The loan, on its thread.
    @Override
    public final void run() {
        var lent = loan();
        lent.take();
        try {
            call(connection.loop.pool().reserve());
        } catch (Throwable e) {
            if (lent.isCallers()) threw(e);
            else CallbackStyle.log(connection, e);
        }
        if (!lent.isCallers()) return;
        lent.leave();
        giveBack();
    }

    private Loan loan() {
        if (loan == null) throw new IllegalStateException("a stream whose calls are made on the loop is not lent");
        return loan;
    }

    private void giveBack() {
        // By the loop's own thread, also if the loop carries this one: the connection's output is not on loan.
        if (!connection.loop.returned(this::endLoan)) endWithoutLoop();
    }

    private void endLoan() {
        connection.loop.threads().loanEnded();
        loan().end();
        finish();
        if (isDue && !isLent()) lend();
    }

    private void endWithoutLoop() {
        connection.loop.threads().loanEnded();
        loan().take();
        loopIsGone();
    }

    /// What user code threw costs its stream. Without memory nothing goes on for the others, either.
    private void threw(Throwable thrown) {
        CallbackStyle.log(connection, thrown);
        if (thrown instanceof OutOfMemoryError || !hasEnded(thrown))
            connection.loop.returned(() -> connection.threw(thrown));
    }

    private boolean hasEnded(Throwable thrown) {
        try {
            failed(thrown);
            return true;
        } catch (Throwable e) {
            CallbackStyle.log(connection, e);
            return false;
        }
    }
}
