package io.millrace.http;

/// A stream of server-sent events (`text/event-stream`, HTML standard section 9.2). Any thread may use it; events
/// keep the order of the calls. What the peer does not take counts against the connection's output limit; beyond,
/// the connection is dropped.
public interface EventStream {
    /// Sends an event; each line of the text becomes a line of data.
    ///
    /// @return false when the peer is gone
    boolean send(String data);

    /// Sends an event with a name.
    ///
    /// @return false when the peer is gone
    /// @throws IllegalArgumentException for a name with a line end in it
    boolean send(String event, String data);

    /// Whether more waits to be sent than should: the moment to leave something out.
    boolean isFull();

    /// Calls when the peer is gone, or the stream was closed; at once if it is over.
    void onClose(Runnable task);

    /// Ends the stream.
    void close();
}
