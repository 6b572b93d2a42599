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
        throw new IllegalStateException("this body is waited for already: decode it in front of that");
    }

    /// The exchange is over, and nothing more of it is to be had. As often as one likes, any thread.
    void over();
}
