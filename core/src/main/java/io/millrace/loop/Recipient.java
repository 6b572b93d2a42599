package io.millrace.loop;

import io.millrace.bytes.Bytes;
import io.millrace.memory.SharedChain;

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

    /// Sends a frame of its [Encoding]: what happens if too much waits is its own affair. By the loop's thread,
    /// not one that it carries.
    ///
    /// @param isAhead whether the caller does not come from the loop's queue, and might overtake what is there
    void deliver(Bytes frame, boolean isAhead);

    /// Sends frames that many get, if nothing else waits and they need not be told apart. They leave at once: who
    /// sends to thousands in a turn would otherwise find their memory out of the caches at its end. Nothing is
    /// allocated. By the loop's thread, not one that it carries, for tasks of its queue.
    ///
    /// @return false if they have to be delivered one by one
    default boolean sendAtOnce(SharedChain frames) {
        return false;
    }
}
