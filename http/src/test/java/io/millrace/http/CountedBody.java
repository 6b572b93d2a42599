package io.millrace.http;

import io.millrace.bytes.Input;

/// Reads a request's body, and answers with its length.
public class CountedBody implements BodyReader {
    private long count;

    /// Of one request.
    public CountedBody() {}

    @Override
    public void onBody(Input part) {
        count += part.remaining();
        part.skip(part.remaining());
    }

    @Override
    public Response onEnd() {
        return Response.ok(Long.toString(count));
    }
}
