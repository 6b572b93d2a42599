package io.millrace.proxy;

import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.SuspendableWriter;
import java.io.IOException;
import java.util.function.UnaryOperator;

/// The body of a client's request, for one attempt: one of which nothing was taken can be sent to somebody else.
///
/// @param passedTrailers makes of the fields behind it those that the backend gets
record AttemptBody(BodyPipe pipe, UnaryOperator<Headers> passedTrailers) implements SuspendableWriter {
    @Override
    public void opened(Runnable news) {
        pipe.opened(news);
    }

    @Override
    public boolean write(Output out) throws IOException {
        return pipe.write(out);
    }

    @Override
    public Headers trailers() {
        return passedTrailers.apply(pipe.trailers());
    }

    @Override
    public void onClose() {
        if (pipe.isWanted()) pipe.onClose();
    }
}
