package io.millrace.http.exchange;

import io.millrace.http.Headers;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// Where the body of a message goes that is sent: a version frames it there.
public interface BodySink {
    /// Takes all of a part, which is not empty; by moving its slabs.
    ///
    /// @throws io.millrace.bytes.Overflow when more is unsent than may be
    void data(LoopOutput part);

    /// Nothing follows but these fields, if there are any, and if the version can send them.
    void end(Headers trailers);

    /// Of the thread that calls.
    SlabSource source();
}
