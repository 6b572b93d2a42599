package io.millrace.loop;

import io.millrace.bytes.Bytes;

/// What a group sends to: a connection of messages, a WebSocket, a stream of events.
///
/// Of this module and `http` alone; user code has a [io.millrace.codec.GroupMember].
public interface Recipient {
    /// The groups it is in; always the same object. Any thread.
    Memberships memberships();

    EventLoop eventLoop();

    /// Whether anything would still be sent to it. Any thread.
    boolean isOpen();

    /// Whether too much waits for its peer. On the loop.
    boolean isFull();

    /// Sends a frame of its [Encoding]: what happens if too much waits is its own affair. By the loop's thread, not one
    /// that it carries.
    ///
    /// @param isAhead whether the caller does not come from the loop's queue, and might overtake what is there
    void deliver(Bytes frame, boolean isAhead);

    /// What is delivered until [#uncork] leaves then, and not at the end of the turn: who sends to thousands in a turn
    /// would otherwise find their memory out of the caches when they are flushed. By the loop's thread.
    ///
    /// @return false if it cannot do that
    default boolean cork() {
        return false;
    }

    /// Ends what [#cork] has begun.
    default void uncork() {}
}
