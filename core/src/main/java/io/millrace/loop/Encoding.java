package io.millrace.loop;

import io.millrace.bytes.Bytes;

/// Makes the frame of a message for recipients. Those with equal encodings share it.
public interface Encoding<M> {
    /// Encodes a message; any thread.
    ///
    /// @param lender a loop whose memory may be used meanwhile
    /// @throws IllegalArgumentException when the message cannot be sent this way
    Bytes frame(EventLoop lender, M message);
}
