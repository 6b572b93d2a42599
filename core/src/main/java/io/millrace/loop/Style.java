package io.millrace.loop;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// How user code meets one connection: called back on the loop ([CallbackStyle]), called back on another thread
/// ([DispatchedStyle]), or as a session on a thread of its own ([DirectStyle]). Called by the loop's thread only.
///
/// While user code on another thread has the connection's input and output (a *loan*, `connection.isLent`), the
/// loop collects arrivals beside the input and sends nothing; the style ends the loan on the loop's thread.
interface Style {
    /// The input has something it did not have before, or is to be offered again.
    void arrived();

    /// The peer has ended.
    void ended();

    /// The peer has ended too early. User code that has not been shown everything before it hears of that later.
    ///
    /// @return false when nothing is left to show, and the connection may fail at once
    default boolean takesCut(IOException cause) {
        return false;
    }

    /// Less than the low watermark is unsent, after the connection was full.
    void writable();

    /// The server is stopping politely.
    void draining();

    /// Nothing was received for as long as the settings say; never called during a loan.
    default void idle() {}

    /// The connection holds more unsent output than its high watermark; called by whoever writes.
    void outputIsFull();

    /// The call that the calling thread is in goes on without the connection, whose next call may come at once.
    ///
    /// @throws IllegalStateException when it is in none, or calls happen on the loop
    default void leaveCall() {
        throw new IllegalStateException("calls on a loop cannot be left");
    }

    /// Whether user code has been shown everything that came up; when both sides have ended, the connection then
    /// closes.
    boolean hasSeenAll();

    /// Whether the connection may be closed to make room for others; never asked during a loan.
    default boolean isExpendable() {
        return false;
    }

    /// The connection is closed; nothing follows.
    void closed(@Nullable IOException cause);
}
