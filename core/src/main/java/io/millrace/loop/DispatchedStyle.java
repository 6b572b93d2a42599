package io.millrace.loop;

import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A handler called on another thread, which may block. Each call is one *loan* of the connection's input and
/// output, with one loan at a time: that alone keeps the order and limits the memory, without a queue or a lock for
/// each connection.
///
/// ```
///   loop:   arrived ── lend ──►                     ◄── end of loan: send, and lend again if something came up
///   worker:             onInput, onWritable, onEnd, …
/// ```
/// A call that has to wait for the results of other calls leaves the connection ([TcpConnection#leaveCall]): its
/// loan ends, and it goes on without the connection.
final class DispatchedStyle implements Style, LentCall {
    // In the order in which they are made.

    private static final int INPUT = 1;
    private static final int WRITABLE = 2;
    private static final int END = 4;
    private static final int IDLE = 8;
    private static final int DRAIN = 16;
    private static final int CLOSE = 32;

    /// For handlers on workers, which never run on the loop.
    private static final Standing NONE = new Standing(Standing.STANDARD_NEEDED);

    private final TcpConnection connection;
    private final Consumer<LentCall> workers;
    private final Standing standing;
    private final Handler handler;
    private final Runnable ending = this::endLoan;

    /// The loop's: which calls became due since the last loan began.
    private int pending;

    /// Passed with the loan: which of its calls are still to be made.
    private int calls;

    private boolean hasInput;

    private @Nullable IOException cause;

    /// Why the peer's end came too early.
    private @Nullable IOException cut;

    /// Passed with the loan: what a call threw.
    private @Nullable Throwable thrown;

    private DispatchedStyle(
            TcpConnection connection, HandlerFactory factory, Standing standing, Consumer<LentCall> workers) {
        this.connection = connection;
        this.workers = workers;
        this.standing = standing;
        this.handler = factory.open(connection);
    }

    /// On workers.
    static DispatchedStyle pooled(TcpConnection connection, HandlerFactory factory, Executor workers) {
        return new DispatchedStyle(connection, factory, NONE, workers::execute);
    }

    /// On virtual threads.
    static DispatchedStyle virtual(TcpConnection connection, HandlerFactory factory, Standing standing) {
        return new DispatchedStyle(
                connection, factory, standing, connection.loop.carriage().calls()::make);
    }

    /// The handler's standing, on virtual threads.
    @Override
    public Standing standing() {
        return standing;
    }

    /// For a version with streams that takes over the connection.
    StreamCalls forStreams() {
        return StreamCalls.dispatched(workers, standing);
    }

    @Override
    public void arrived() {
        comesUp(INPUT);
    }

    @Override
    public void ended() {
        comesUp(END);
    }

    @Override
    public void writable() {
        comesUp(WRITABLE);
    }

    @Override
    public void draining() {
        comesUp(DRAIN);
    }

    @Override
    public void idle() {
        comesUp(IDLE);
    }

    @Override
    public boolean isExpendable() {
        return Expendable.isExpendable(handler);
    }

    @Override
    public boolean takesCut(IOException cause) {
        if (!connection.isLent() && (pending & INPUT) == 0) return false;
        cut = cause;
        comesUp(END);
        return true;
    }

    @Override
    public boolean hasSeenAll() {
        return pending == 0 && !connection.isLent();
    }

    @Override
    public void closed(@Nullable IOException cause) {
        this.cause = cause;
        // No other call is due any longer, and what this one threw would prevent the last call.
        pending = 0;
        comesUp(CLOSE);
    }

    @Override
    public void outputIsFull() {
        connection.outgoing.checkLimit();
    }

    private void comesUp(int call) {
        pending |= call;
        if (!connection.isLent()) lend();
    }

    private void lend() {
        calls = pending;
        // The handler may pause in onInput, and then the end has to wait, too.
        if ((calls & INPUT) != 0) calls &= ~END;
        pending &= ~calls;
        hasInput = (calls & INPUT) != 0;
        var reserve = connection.loop.pool().reserve();
        connection.lend(null);
        connection.outgoing.output.drawFrom(reserve);
        if (hasInput) connection.incoming.input.lend(reserve);
        connection.loop.threads().loanBegan();
        workers.accept(this);
    }

    /// The loan, on a worker.
    @Override
    public void run() {
        // If the loop has closed meanwhile, so has the connection: only the last call is due.
        if (connection.loop.isClosed()) calls &= CLOSE;
        if (make()) giveBack();
    }

    /// @return whether the thread still has the connection
    private boolean make() {
        connection.loan.take();
        try {
            while (calls != 0 && connection.loan.isCallers()) {
                int next = Integer.lowestOneBit(calls);
                calls &= ~next;
                call(next);
            }
        } catch (Throwable e) {
            CallbackStyle.log(connection, e);
            if (connection.loan.isCallers()) thrown = e;
        }
        if (!connection.loan.isCallers()) return false;
        connection.loan.leave();
        return true;
    }

    private void giveBack() {
        if (connection.loop.inLoop()) connection.loop.doHere(ending);
        else if (!connection.loop.returned(ending)) endWithoutLoop();
    }

    @Override
    public void leaveCall() {
        connection.loan.require();
        connection.loan.leave();
        giveBack();
    }

    private void call(int next) throws IOException {
        switch (next) {
            case INPUT -> handler.onInput(connection.incoming.input);
            case WRITABLE -> handler.onWritable();
            case END -> end();
            case IDLE -> handler.onIdle(connection);
            case DRAIN -> handler.onDrain(connection);
            default -> handler.onClose(cause);
        }
    }

    private void end() throws IOException {
        thrown = cut;
        if (cut == null) handler.onEnd(connection);
    }

    /// The loop has closed the connection during the call, and is gone: only this thread can tell the handler,
    /// which may have resources to release. The collector frees the connection's memory.
    private void endWithoutLoop() {
        connection.loop.threads().loanEnded();
        calls = pending & CLOSE;
        make();
    }

    /// Back on the loop.
    private void endLoan() {
        var pool = connection.loop.pool();
        connection.loop.threads().loanEnded();
        connection.incoming.input.endLoan(pool);
        connection.outgoing.output.drawFrom(pool);
        // The calls that a left call did not make.
        pending |= calls;
        if (connection.endLoan(hasInput)) pending |= INPUT;
        // What was offered again meanwhile may have been in this loan.
        if (!connection.isReading() || connection.incoming.unread() == 0) pending &= ~INPUT;
        if (thrown != null) {
            connection.threw(thrown);
            thrown = null;
        }
        if (connection.state() == TcpConnection.State.CLOSED) {
            connection.release();
            pending &= CLOSE;
        } else {
            // What arrived before the handler paused is offered when it resumes.
            if (connection.incoming.isPaused()) pending &= ~INPUT;
            if ((pending & INPUT) == 0) connection.incoming.checkUnread();
            connection.incoming.update();
            if ((pending & END) != 0 && connection.incoming.takesEndBack()) pending &= ~END;
        }
        // The next call may block, so send now what this one wrote.
        if (pending != 0 && !connection.isLent()) connection.outgoing.endOfTurn();
        if (pending != 0 && !connection.isLent()) lend();
        else connection.finishIfBothEnded();
    }
}
