package io.millrace.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Who may use an input or an output now: one thread at a time, the event loop's or the one that has it on loan.
/// Every read and write asks, also where assertions are off: a second thread would mix the bytes of strangers.
///
/// ```
///            ┌──────── lend(thread) ────────► LENT ─ leave ─► LENT to nobody
///   HOME ────┼──────── lend(null) ── take ──►  │                 │
///    ▲       └──────── lendToFirst ── claim ─► │                 │
///    └───────────────────── end ───────────────┴─────────────────┘
/// ```
/// Whoever gives it up says so itself ([#leave], [#end]) before another thread can have it. So a thread that reads
/// these fields while it may not use what they guard can be too late, but never finds its own name.
@SuppressWarnings("ReferenceEquality") // the thread itself
public final class Loan {
    private static final VarHandle BORROWER = borrowerHandle();

    /// The thread that has it when nobody borrows: an event loop's, which a virtual thread never is.
    @FunctionalInterface
    public interface Home {
        @Nullable
        Thread thread();
    }

    private static final Home NOWHERE = () -> null;

    /// In the place of a borrower who is the first to come.
    private static final Thread WHOEVER_COMES = Thread.ofVirtual().unstarted(() -> {});

    /// Of a value, which whoever holds it may read.
    static final Loan ANYBODYS = new Loan(NOWHERE, true);

    private final Home home;
    private final boolean isAnybodys;
    private @Nullable Thread borrower;
    private boolean isOut;

    /// What belongs to an event loop unless it is lent.
    public Loan(Home home) {
        this(home, false);
    }

    private Loan(Home home, boolean isAnybodys) {
        this.home = home;
        this.isAnybodys = isAnybodys;
    }

    /// That of what is put together beside a connection, by the thread that has that: each use begins with [#take].
    public static Loan beside() {
        var loan = new Loan(NOWHERE);
        loan.isOut = true;
        loan.take();
        return loan;
    }

    // The loop's side.

    /// It is this thread's from now on; with none, that of whoever is the one to call [#take].
    public void lend(@Nullable Thread to) {
        isOut = true;
        borrower = to;
    }

    /// It is the first comer's: threads that hand a connection on to each other say nothing about it.
    public void lendToFirst() {
        lend(WHOEVER_COMES);
    }

    public void end() {
        isOut = false;
        borrower = null;
    }

    public boolean isOut() {
        return isOut;
    }

    // The borrower's side.

    /// The calling thread is the borrower.
    public void take() {
        borrower = Thread.currentThread();
    }

    /// The calling thread is the borrower no more, and [#end] follows.
    public void leave() {
        borrower = null;
    }

    /// Whether the calling thread has it.
    public boolean isCallers() {
        var caller = Thread.currentThread();
        return caller == borrower || (!isOut && isAtHomeOf(caller));
    }

    /// Whether the calling thread has it, or is the first comer to have it from now on.
    public boolean claim() {
        var caller = Thread.currentThread();
        return caller == borrower || isOpenTo(caller);
    }

    /// Nothing, for the thread that has it.
    ///
    /// @throws IllegalStateException for any other
    void require(String what) {
        var caller = Thread.currentThread();
        if (caller != borrower && !isOpenTo(caller)) throw refusal(what, caller);
    }

    /// Nothing, for the thread that has the connection.
    ///
    /// @throws IllegalStateException for any other
    public void require() {
        require("this connection");
    }

    private boolean isOpenTo(Thread caller) {
        // Not by what others wrote at other times: who comes too late finds another borrower, or none.
        if (isOut) return BORROWER.compareAndSet(this, WHOEVER_COMES, caller);
        return isAtHomeOf(caller);
    }

    private boolean isAtHomeOf(Thread caller) {
        return caller == home.thread() || isAnybodys;
    }

    private IllegalStateException refusal(String what, Thread caller) {
        var other = borrower;
        var holder = other != null && other != WHOEVER_COMES
                ? "thread \"" + other.getName() + "\", which has it on loan"
                : isOut ? "a call or a session that is not this thread's, or is over" : "its event loop, " + home;
        return new IllegalStateException(what + " was used by thread \"" + caller.getName() + "\" and belongs to "
                + holder + ": use it in the calls it is lent for, hand work over with conn.loop().execute(…), or send"
                + " with conn.write(…), which any thread may call");
    }

    private static VarHandle borrowerHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Loan.class, "borrower", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
