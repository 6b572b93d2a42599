package io.millrace.loop;

import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A handler called on the loop itself, with only a loan between the bytes and the user's code.
final class CallbackStyle implements Style {
    private static final System.Logger LOG = LoopLog.of("io.millrace.handler");

    private final TcpConnection connection;
    private final Handler handler;

    /// The handler is being called: what it does to its connection must not call it again.
    private boolean isBusy;

    /// The connection has closed; the handler is told after its call.
    private boolean hasClosed;

    CallbackStyle(TcpConnection connection, HandlerFactory factory) {
        this.connection = connection;
        this.handler = factory.open(connection);
    }

    @Override
    public void arrived() {
        var input = connection.incoming.input;
        input.lend(connection.loop.pool());
        isBusy = true;
        try {
            handler.onInput(input);
        } catch (Throwable e) {
            threw(e);
        } finally {
            input.endLoan(connection.loop.pool());
        }
        callIsOver();
        connection.incoming.checkUnread();
    }

    @Override
    public void ended() {
        isBusy = true;
        try {
            handler.onEnd(connection);
        } catch (Throwable e) {
            threw(e);
        }
        callIsOver();
    }

    @Override
    public void writable() {
        isBusy = true;
        try {
            handler.onWritable();
        } catch (Throwable e) {
            threw(e);
        }
        callIsOver();
    }

    @Override
    public void draining() {
        isBusy = true;
        try {
            handler.onDrain(connection);
        } catch (Throwable e) {
            threw(e);
        }
        callIsOver();
    }

    @Override
    public void departing(Departures all) {
        if (!(handler instanceof Departing departing)) return;
        isBusy = true;
        try {
            departing.departs(all);
        } catch (Throwable e) {
            threw(e);
        }
        callIsOver();
    }

    @Override
    public void idle() {
        isBusy = true;
        try {
            handler.onIdle(connection);
        } catch (Throwable e) {
            threw(e);
        }
        callIsOver();
    }

    @Override
    public void outputIsFull() {
        connection.outgoing.checkLimit();
    }

    @Override
    public boolean isExpendable() {
        return Expendable.isExpendable(handler);
    }

    @Override
    public boolean hasSeenAll() {
        return true;
    }

    private void callIsOver() {
        isBusy = false;
        // The interrupt was meant for this call, and the next one is another connection's.
        Thread.interrupted();
        if (hasClosed) tellClosed();
    }

    @Override
    public void closed(@Nullable IOException cause) {
        hasClosed = true;
        if (!isBusy) tellClosed();
    }

    private void tellClosed() {
        try {
            handler.onClose(connection.failure());
        } catch (Throwable e) {
            log(connection, e);
        }
    }

    private void threw(Throwable thrown) {
        log(connection, thrown);
        connection.threw(thrown);
    }

    /// A handler that throws kills its own connection and nothing else; network failures are logged at DEBUG.
    static void log(TcpConnection connection, Throwable failure) {
        connection.loop.errors().threw(LOG, "handler", connection, false, failure);
    }
}
