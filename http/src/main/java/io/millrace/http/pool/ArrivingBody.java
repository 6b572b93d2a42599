package io.millrace.http.pool;

import io.millrace.http.PushBody;
import java.util.function.Consumer;

/// The body of a response whose head a filter of a client sees: it goes past the filter, and whoever looks at it
/// hears of that.
///
/// @param source where it comes from
record ArrivingBody(Object source) implements Consumer<PushBody> {
    @Override
    public void accept(PushBody body) {
        throw new IllegalStateException("the body of this response is on its way to who sent the request: a filter of a"
                + " client sees status and fields");
    }
}
