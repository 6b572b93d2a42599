package io.millrace.http.message;

import io.millrace.http.coding.BodyDecoding;
import java.util.Optional;

/// The source of a body that is still to come.
public interface BodySource {
    /// The body for the calling thread to wait for; none if it must not wait. Any thread.
    Optional<AwaitedBody> await();

    /// Decodes the body; before it is read.
    void decode(BodyDecoding how);

    /// The longest body that can be awaited as a value.
    long mostAwaitedBytes();
}
