package io.millrace.http.message;

import io.millrace.http.coding.BodyDecoding;
import java.util.Optional;

/// Where a body comes from that is still to come.
public interface BodySource {
    /// The calling thread waits for it; none for one that may not. Any thread.
    Optional<AwaitedBody> await();

    /// What becomes of it before it is read; before anybody reads it.
    void decode(BodyDecoding how);

    /// Of one that is waited for as a value.
    long mostAwaitedBytes();
}
