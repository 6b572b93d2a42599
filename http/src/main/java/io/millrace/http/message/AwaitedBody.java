package io.millrace.http.message;

import io.millrace.http.BlockingBody;
import io.millrace.http.coding.BodyDecoding;
import java.util.Optional;

/// A body that threads wait for while its exchange goes on.
public interface AwaitedBody extends BlockingBody, BodySource {
    @Override
    default Optional<AwaitedBody> await() {
        return Optional.of(this);
    }

    @Override
    default void decode(BodyDecoding how) {
        throw new IllegalStateException("this body is awaited already: decode it before that");
    }

    /// The exchange is over, and the rest of the body cannot be read any more. May be called several times,
    /// on any thread.
    void over();
}
