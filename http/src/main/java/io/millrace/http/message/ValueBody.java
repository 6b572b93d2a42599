package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.http.BlockingBody;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import java.io.InputStream;

/// A body that is a value, in direct style; reading it never waits.
final class ValueBody implements BlockingBody {
    private final Request request;
    private boolean isOffered;

    ValueBody(Request request) {
        this.request = request;
    }

    @Override
    public boolean read() {
        boolean isNew = !isOffered && !input().isEmpty();
        isOffered = true;
        return isNew;
    }

    @Override
    public Input input() {
        return request.body();
    }

    @Override
    public Headers trailers() {
        return request.trailers();
    }

    @Override
    public InputStream inputStream() {
        return new BodyInputStream(this);
    }
}
