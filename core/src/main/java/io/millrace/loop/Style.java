package io.millrace.loop;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// How user code handles one connection: called back on the loop ([CallbackStyle]), called back on another thread
/// ([DispatchedStyle]), or as a session on a thread of its own ([DirectStyle]). Called only by the loop's thread.
///
/// While user code on another thread has the connection's input and output (a *loan*, `connection.isLent`), the
/// loop collects arrivals beside the input and sends nothing; the style ends the loan on the loop's thread.
interface Style {
    /// The input has new bytes, or is to be offered again.
    void arrived();

    /// The peer has ended.
    void ended();

    /// The peer has ended too early. User code that has not seen everything before that is told later.
    ///
    /// @return false when user code has seen everything, and the connection may fail at once
    default boolean takesCut(IOException cause) {
        return false;
    }

    /// Less than the low watermark is unsent, after the connection was full.
    void writable();

    /// The server is draining.
    void draining();

    /// A drain has begun, and [#draining] may come much later.
    default void departing(Departures all) {}

    /// Nothing was received for as long as the settings say; never called during a loan.
    default void idle() {}

    /// The connection holds more unsent output than its high watermark; called by the writing thread.
    void outputIsFull();

    /// The calling thread's current call goes on without the connection, whose next call may come at once.
    ///
    /// @throws IllegalStateException when the thread is in no call, or calls run on the loop
    default void leaveCall() {
        throw new IllegalStateException("a call on a loop cannot be left");
    }

    /// Whether user code has seen everything that happened; if both sides have ended, the connection then closes.
    boolean hasSeenAll();

    /// Whether the connection may be closed to make room for others; never asked during a loan.
    default boolean isExpendable() {
        return false;
    }

    /// The connection is closed; nothing follows.
    void closed(@Nullable IOException cause);
}
