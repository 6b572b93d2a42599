package io.millrace.http;

import io.millrace.codec.GroupMember;

/// A stream of server-sent events (`text/event-stream`, HTML standard section 9.2). Any thread may use it; events
/// keep the order of the calls. Events that the peer does not read count against the connection's output limit;
/// when that is exceeded, the connection is dropped.
///
/// It may join a [io.millrace.codec.Group] of texts, whose messages it sends as events.
public interface EventStream extends GroupMember<String> {
    /// Sends an event; each line of the text becomes a line of data.
    ///
    /// @return false when the peer is gone
    boolean send(String data);

    /// Sends an event with a name.
    ///
    /// @return false when the peer is gone
    /// @throws IllegalArgumentException for a name that contains a line end
    boolean send(String event, String data);

    /// The same stream for a [io.millrace.codec.Group], whose messages it sends as events with a name.
    ///
    /// @throws IllegalArgumentException for a name that contains a line end
    GroupMember<String> named(String event);

    /// Whether too much waits to be sent: the moment to leave events out.
    boolean isFull();

    /// Calls the task when the peer is gone or the stream was closed; at once if it is over.
    void onClose(Runnable task);

    /// Ends the stream.
    void close();
}
