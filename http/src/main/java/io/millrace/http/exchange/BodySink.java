package io.millrace.http.exchange;

import io.millrace.http.Headers;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// Takes the body of a message to send: an HTTP version frames it there.
public interface BodySink {
    /// Takes all of a part, which is not empty, by moving its slabs.
    ///
    /// @throws io.millrace.bytes.Overflow when too much is unsent
    void data(LoopOutput part);

    /// The body is over; these fields follow, if there are any and the version can send them.
    void end(Headers trailers);

    /// The slabs of the calling thread.
    SlabSource source();
}
