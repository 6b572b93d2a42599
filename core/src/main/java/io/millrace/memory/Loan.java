package io.millrace.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The thread that may use an input or an output now: the event loop's or the one that has it on loan. Every read
/// and write checks it, also without assertions: a second thread would mix different peers' bytes.
///
/// ```
///            ┌──────── lend(thread) ────────► LENT ─ leave ─► LENT to nobody
///   HOME ────┼──────── lend(null) ── take ──►  │                 │
///    ▲       └──────── lendToFirst ── claim ─► │                 │
///    └───────────────────── end ───────────────┴─────────────────┘
/// ```
/// A thread gives the loan up itself ([#leave], [#end]) before another thread can have it. So a thread that reads
/// these fields without having the loan may see old values, but never itself.
@SuppressWarnings("ReferenceEquality") // the thread itself
public final class Loan {
    private static final VarHandle BORROWER = borrowerHandle();

    /// The thread that has it when it is not lent: an event loop's, which is never virtual.
    @FunctionalInterface
    public interface Home {
        @Nullable
        Thread thread();
    }

    private static final Home NOWHERE = () -> null;

    /// Stands for the first thread that uses it.
    private static final Thread WHOEVER_COMES = Thread.ofVirtual().unstarted(() -> {});

    /// For a value, which any thread may read.
    static final Loan ANYBODYS = new Loan(NOWHERE, true);

    private final Home home;
    private final boolean isAnybodys;
    private @Nullable Thread borrower;
    private boolean isOut;

    /// For what belongs to an event loop unless it is lent.
    public Loan(Home home) {
        this(home, false);
    }

    private Loan(Home home, boolean isAnybodys) {
        this.home = home;
        this.isAnybodys = isAnybodys;
    }

    /// For what a connection's thread builds beside the connection: each use begins with [#take].
    public static Loan beside() {
        var loan = new Loan(NOWHERE);
        loan.isOut = true;
        loan.take();
        return loan;
    }

    // The loop's side.

    /// Lends it to a thread; without one, to the thread that calls [#take].
    public void lend(@Nullable Thread to) {
        isOut = true;
        borrower = to;
    }

    /// Lends it to the first thread that uses it: threads that pass a connection to each other do not report that
    /// here.
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

    /// Makes the calling thread the borrower.
    public void take() {
        borrower = Thread.currentThread();
    }

    /// Ends the calling thread's loan; [#end] follows.
    public void leave() {
        borrower = null;
    }

    /// Whether the calling thread has it.
    public boolean isCallers() {
        var caller = Thread.currentThread();
        return caller == borrower || (!isOut && isAtHomeOf(caller));
    }

    /// Whether the calling thread has it, or gets it now as the first one to use it.
    public boolean claim() {
        var caller = Thread.currentThread();
        return caller == borrower || isOpenTo(caller);
    }

    /// Checks that the calling thread has it.
    ///
    /// @throws IllegalStateException on any other thread
    void require(String what) {
        var caller = Thread.currentThread();
        if (caller != borrower && !isOpenTo(caller)) throw refusal(what, caller);
    }

    /// Checks that the calling thread has the connection.
    ///
    /// @throws IllegalStateException on any other thread
    public void require() {
        require("this connection");
    }

    private boolean isOpenTo(Thread caller) {
        // Old values do not matter: a thread that comes too late sees another borrower, or none.
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
                : isOut ? "a call or a session of another thread, or one that is over" : "its event loop, " + home;
        return new IllegalStateException(what + " was used by thread \"" + caller.getName() + "\" and belongs to "
                + holder + ": use it in the calls it is lent for, pass work to conn.loop().execute(…), or send with "
                + "conn.write(…), which any thread may call");
    }

    private static VarHandle borrowerHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Loan.class, "borrower", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
