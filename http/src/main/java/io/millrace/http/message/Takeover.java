package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.loop.StreamCalls;
import io.millrace.loop.TunnelEnd;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// What the peer's connection or stream belongs to from now on: another connection ([Upgraded]), or another protocol
/// of this server.
public interface Takeover {
    /// 101 for a change of protocol, 200 for `CONNECT`.
    int status();

    /// Of the response that agrees.
    Headers headers();

    /// Takes the peer's end over. On its loop, once.
    void begin(Peer peer);

    /// It does not come to that. Any thread.
    void abort();

    /// What is taken over.
    ///
    /// @param end of the peer: a connection, or one of its streams; paused
    /// @param calls where this server calls user code
    /// @param ending told of its end
    record Peer(TunnelEnd end, StreamCalls calls, Ending ending) {}

    /// Told when the peer's end has closed. On its loop, once.
    @FunctionalInterface
    interface Ending {
        /// It has closed.
        ///
        /// @param cause null when it closed in order
        void ended(long receivedBytes, long sentBytes, @Nullable IOException cause);
    }
}
