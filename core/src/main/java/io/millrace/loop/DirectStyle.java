package io.millrace.loop;

import static java.util.Objects.requireNonNull;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.bytes.Overflow;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import io.millrace.net.Reset;
import io.millrace.net.Security;
import io.millrace.net.Session;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Plain blocking code: the connection is lent to the thread until it waits here, and again when its wait is over.
///
/// ```
///             ┌───────── the wait is over: lend, unpark ─────────┐
///             ▼                                                  │
///   thread RUNNING ─ read without news · flush · end · full ─► WAITING ─ failed ─► throws
///             └─ close, or the session returns: the loan ends for good, the rest is sent
/// ```
/// A thread that the loop carries *is* the loop while it runs: it works on the connection itself, and a wait is a
/// park that the loop ends in the same turn. Any other thread, and one of ours while the JDK's scheduler runs it,
/// passes its wait to the loop as a task; the queue makes each side's writes visible to the other.
public final class DirectStyle implements Style, BlockingConnection, LoopWait, Runnable, CarriedThread.Life {
    private static final System.Logger LOG = LoopLog.of("io.millrace.session");

    private enum Wait {
        NONE,
        INPUT,
        ROOM,
        END
    }

    private final TcpConnection connection;
    private final EventLoop loop;

    /// Whether the thread is one of ours, which the loop may carry.
    private final boolean isOurs;

    /// What the thread runs, and the standing of that. Without them the thread is a client's own, and the loop's end
    /// does not wait for it.
    private final @Nullable Session code;

    private final @Nullable Standing standing;

    /// What the thread waits for, and which thread it is: written by the thread before it passes the wait on, then
    /// the loop's.
    private Wait wait = Wait.NONE;

    private @Nullable Thread waiter;

    /// A wait has begun, which the loop ends. Written by both, read by the thread wherever it resumes.
    private volatile boolean isWaiting;

    /// How many waits have begun. Written by the thread, read by the watchdog.
    private int waits;

    /// The number of the wait that the loop cannot end, and why. Written by the watchdog, the reason first.
    private volatile int waitInVain = -1;

    private @Nullable String whyInVain;

    /// The thread has given up. The thread's.
    private boolean hasGivenUp;

    /// The loop's: bytes have arrived that no `read` has reported.
    private boolean hasNews;

    /// Passed back with the loan: whether `read` found something.
    private boolean found;

    /// Why the peer's end came too early. Written by the loop before the thread goes on.
    private @Nullable IOException cut;

    private boolean isDraining;

    /// The loop's: a wait begins; events meanwhile are handled at the end of that. If a foreign thread were resumed
    /// before, it could have begun its next wait by then, which would be mistaken for this one.
    private boolean isBeginning;

    /// The loan has ended for good. Written and read by the thread.
    private boolean isGivenBack;

    /// Written by the loop when the connection has closed, `cause` before `isClosed`; read by the thread.
    private volatile boolean isClosed;

    private @Nullable IOException cause;

    /// The session's thread, which is interrupted if it is busy elsewhere when the connection dies.
    private volatile @Nullable Thread session;

    /// The loop has interrupted the session, so an interrupt is nothing new. Written by the loop, and by the thread
    /// once it knows.
    private volatile boolean isInterruptedByLoop;

    /// The thread that waited for the connection last, or made it. Written by that thread; others only compare
    /// themselves.
    private volatile @Nullable Thread user;

    private DirectStyle(TcpConnection connection, @Nullable Session code, @Nullable Standing standing) {
        this.connection = connection;
        this.loop = connection.loop;
        this.code = code;
        this.standing = standing;
        this.isOurs = standing != null && loop.threads().carries();
        lend();
    }

    private boolean isBorrowed() {
        return code == null;
    }

    /// Runs a session on a virtual thread of its own.
    static void start(TcpConnection connection, Session session, Standing standing) {
        var direct = new DirectStyle(connection, session, standing);
        // First, because a thread of another scheduler may write before this returns.
        connection.style(direct);
        connection.loop.threads().startSession(connection.peerName(), standing, direct);
    }

    /// For a client's own thread, whatever it is.
    static DirectStyle borrowed(TcpConnection connection) {
        return new DirectStyle(connection, null, null);
    }

    /// The session's thread begins.
    @Override
    public void live() {
        session = Thread.currentThread();
        connection.loan.take();
        usedByCaller();
        try {
            requireNonNull(code).run(this);
            close();
        } catch (Throwable e) {
            log(e);
            giveBack(() -> connection.threw(e));
        } finally {
            session = null;
        }
    }

    private void log(Throwable e) {
        loop.errors().threw(LOG, "session", connection, isClosed, e);
    }

    // The thread's side.

    @Override
    public boolean read() throws IOException {
        await(Wait.INPUT);
        var early = cut;
        if (found || early == null) return found;
        hasGivenUp = true;
        connection.abort();
        throw early;
    }

    @Override
    public void flush() throws IOException {
        await(Wait.ROOM);
    }

    @Override
    public void end() throws IOException {
        await(Wait.END);
    }

    @Override
    public boolean write(Bytes bytes) {
        boolean isDirect = isWithUser() && !isGivenBack && connection.loan.claim();
        if (!isDirect) return connection.write(bytes);
        try {
            connection.outgoing.output.write(bytes);
            return true;
        } catch (UncheckedIOException _) {
            return false;
        } catch (Overflow e) {
            connection.drop(e);
            return false;
        }
    }

    @SuppressWarnings("ReferenceEquality") // the thread itself
    private boolean isWithUser() {
        return user == Thread.currentThread();
    }

    /// The calling thread uses the connection from now on: it made the connection, or waits for it.
    public void usedByCaller() {
        if (!isWithUser()) user = Thread.currentThread();
    }

    @Override
    public void close() {
        if (connection.loan.claim()) giveBack(connection::close);
        else connection.close();
    }

    @Override
    public void abort() {
        // A session needs no interrupt to learn what it did itself.
        if (Thread.currentThread().equals(session)) session = null;
        connection.abort();
    }

    @Override
    public void outputIsFull() {
        try {
            await(Wait.ROOM);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void giveBack(Runnable last) {
        if (isGivenBack) return;
        isGivenBack = true;
        connection.loan.leave();
        Runnable ending = () -> {
            endLoan();
            last.run();
            if (connection.state() == TcpConnection.State.CLOSED) connection.release();
        };
        if (isTheLoop()) loop.doHere(ending);
        else loop.returned(ending);
    }

    private boolean isTheLoop() {
        return isOurs && loop.inLoop();
    }

    /// Waits in one method: what is on the stack during the park takes memory as long as that.
    private void await(Wait reason) throws IOException {
        begins(reason);
        boolean wasInterrupted = false;
        while (isWaiting) {
            loop.host().park(this);
            wasInterrupted |= abortIfInterrupted();
        }
        throwIfClosed(wasInterrupted);
    }

    private void begins(Wait reason) throws IOException {
        throwIfClosed();
        if (!isOurs) EventLoop.checkMayWait("a connection in direct style", "connect with a handler");
        connection.loan.require();
        usedByCaller();
        wait = reason;
        waits++;
        waiter = user;
        if (isTheLoop()) beginHere();
        else beginElsewhere();
    }

    private void beginElsewhere() {
        isWaiting = true;
        if (!loop.returned(this)) isWaiting = false;
    }

    /// The park is over; the thread may have resumed elsewhere. An interrupt aborts the connection, which ends the
    /// wait; until then only the loop may touch the connection.
    ///
    /// @return whether there was one
    private boolean abortIfInterrupted() {
        if (waitInVain == waits && isWaiting) throw givenUp();
        if (!Thread.interrupted() || isInterruptedByLoop) return false;
        connection.abort();
        return true;
    }

    @Override
    public void giveUp(Thread waiting, int number, String why) {
        whyInVain = why;
        waitInVain = number;
        LockSupport.unpark(waiting);
    }

    @Override
    public int number() {
        return waits;
    }

    @Override
    public boolean isEndedBy(EventLoop other) {
        return loop.equals(other);
    }

    private IllegalStateException givenUp() {
        hasGivenUp = true;
        connection.abort();
        return new IllegalStateException(
                "a session waited for " + Wording.of(remote()) + " " + whyInVain + "; the connection was dropped");
    }

    private void throwIfClosed(boolean wasInterrupted) throws IOException {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "interrupted while waiting for " + Wording.of(remote()) + ": the connection was dropped");
        }
        throwIfClosed();
    }

    @SuppressWarnings("ThreadPriorityCheck") // the yield goes to the loop, not to the system's scheduler
    private void throwIfClosed() throws IOException {
        if (!isClosed && !isGivenBack && !hasGivenUp && !loop.isClosed()) return;
        // The exception reports it, and an interrupt must not disturb the session's cleanup.
        if (isInterruptedByLoop) Thread.interrupted();
        isInterruptedByLoop = false;
        // Code that retries in spite of it must not keep the loop from other connections.
        if (isTheLoop()) Thread.yield();
        var failure = cause;
        throw failure != null ? failure : new Reset("the connection to " + Wording.of(remote()) + " is closed");
    }

    // Run by the loop, or by a thread that it carries.

    /// A wait begins, of a thread that is not the loop.
    @Override
    public void run() {
        begin();
    }

    /// A wait begins, of a thread that is the loop.
    @SuppressWarnings("ThreadPriorityCheck") // the yield goes to the loop, not to the system's scheduler
    private void beginHere() {
        var here = loop.carriage().begins();
        boolean isOver;
        try {
            isOver = begin();
            if (!isOver) isWaiting = true;
        } finally {
            Carriage.ends(here);
        }
        // A peer that reads as fast as this thread writes must not keep the loop from other connections.
        if (isOver && loop.hasWorkedLong()) Thread.yield();
    }

    /// @return whether the wait was over at once
    private boolean begin() {
        if (wait == Wait.INPUT && hasNews) {
            connection.incoming.mergeArrivals();
            return finish();
        }
        isBeginning = true;
        endLoan();
        if (wait == Wait.INPUT) connection.incoming.checkUnread();
        if (wait == Wait.END) connection.end();
        if (wait != Wait.INPUT) connection.outgoing.endOfTurn();
        isBeginning = false;
        return isOver() && finish();
    }

    private boolean isOver() {
        if (wait == Wait.NONE) return false;
        return isClosed
                || switch (wait) {
                    case INPUT -> hasNews || isDraining || connection.incoming.hasEnded();
                    case ROOM -> !connection.outgoing.isBlocked();
                    case END -> true;
                    case NONE -> false;
                };
    }

    private boolean finish() {
        found = hasNews;
        if (wait == Wait.INPUT) hasNews = false;
        wait = Wait.NONE;
        lend();
        if (!isWaiting) return true;
        isWaiting = false;
        var thread = waiter;
        if (thread != null) goOn(thread);
        return true;
    }

    /// Resumes the thread: here while its bytes are in the cache, elsewhere when the loop has done its work.
    private void goOn(Thread thread) {
        var its = standing;
        if (isOurs && its != null && loop.host().carries(its)) LockSupport.unpark(thread);
        else loop.wakeAtEndOfTurn(thread);
    }

    private void wake() {
        // A foreign thread may have set what it waits for, but not yet passed its loan back.
        if (!isBeginning && !connection.isLent() && isOver()) finish();
    }

    @Override
    public void arrived() {
        hasNews = true;
        wake();
    }

    @Override
    public void ended() {
        wake();
    }

    /// A thread that waits for input has seen everything; one that has only set what it waits for has not.
    @Override
    public boolean takesCut(IOException cause) {
        if (wait == Wait.INPUT && !connection.isLent()) return false;
        cut = cause;
        return true;
    }

    @Override
    public void writable() {
        wake();
    }

    @Override
    public void draining() {
        isDraining = true;
        wake();
    }

    /// The thread reads until it sees the end, and closes then.
    @Override
    public boolean hasSeenAll() {
        return false;
    }

    @Override
    public void closed(@Nullable IOException cause) {
        this.cause = cause;
        isClosed = true;
        var busy = connection.isLent() ? session : null;
        if (busy == null) wake();
        else if (cause != null && !Thread.currentThread().equals(busy)) interrupt(busy);
    }

    private void interrupt(Thread busy) {
        isInterruptedByLoop = true;
        busy.interrupt();
    }

    private void lend() {
        // It is out already when a read found news at once.
        if (isBorrowed() && !connection.isLent()) loop.threads().borrowed(1);
        if (isBorrowed()) connection.lendToFirst();
        else connection.lend(waiter);
        var slabs = isOurs ? loop.threads().slabs() : loop.pool().reserve();
        connection.outgoing.output.drawFrom(slabs);
        connection.incoming.input.lend(slabs);
    }

    private void endLoan() {
        if (isBorrowed()) loop.threads().borrowed(-1);
        connection.incoming.input.endLoan(loop.pool());
        connection.outgoing.output.drawFrom(loop.pool());
        connection.endLoan(true);
        connection.incoming.update();
    }

    /// Raises the limit for unread input, so that a protocol's whole frame fits. By the thread.
    public void inputLimit(long bytes) {
        connection.inputLimit(bytes);
    }

    /// Whether `read` returned false because the peer has ended, and not because the server stops. By the thread.
    public boolean inputHasEnded() {
        return connection.incoming.hasEnded();
    }

    // Common to both styles.

    @Override
    public Input input() {
        return connection.incoming.input;
    }

    @Override
    public Output output() {
        return connection.outgoing.output;
    }

    @Override
    public long receivedBytes() {
        return connection.receivedBytes();
    }

    @Override
    public long sentBytes() {
        return connection.sentBytes();
    }

    @Override
    public SocketAddress remote() {
        return connection.remote();
    }

    @Override
    public SocketAddress local() {
        return connection.local();
    }

    @Override
    public Optional<Security> security() {
        return connection.security();
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Connection.Options options() {
        return connection.options();
    }
}
