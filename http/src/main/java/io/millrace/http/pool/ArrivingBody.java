package io.millrace.http.pool;

import io.millrace.http.PushBody;
import java.util.function.Consumer;

/// The body of a response in a client's filter: it goes past the filter, and any attempt to read it throws.
///
/// @param source where the body comes from
record ArrivingBody(Object source) implements Consumer<PushBody> {
    @Override
    public void accept(PushBody body) {
        throw new IllegalStateException(
                "the body of this response is on its way to the caller: a client's filter sees only the head");
    }
}
