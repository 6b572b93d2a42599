package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.Body;
import io.millrace.http.message.ReceivedRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request from a peer. Its fields are values of its own, so that it need not be copied to be kept.
final class Http2Request extends ReceivedRequest {
    private final ReceivedFields fields;
    private final long bodyLength;
    private @Nullable StreamNotes stream;
    private volatile boolean isOver;

    /// @param bodyLength in bytes, 0 for none, or [Body#UNKNOWN]
    Http2Request(ServerConnection connection, String method, Target target, ReceivedFields fields, long bodyLength) {
        super(connection.connection, method, target);
        this.fields = fields;
        this.bodyLength = bodyLength;
    }

    /// This one carries it.
    void carriedBy(StreamNotes carrier) {
        stream = carrier;
    }

    @Override
    public Optional<String> header(String name) {
        checkNotOver();
        return isHidden(name) ? Optional.empty() : fields.first(name);
    }

    @Override
    public List<String> headers(String name) {
        checkNotOver();
        return isHidden(name) ? List.of() : fields.all(name);
    }

    private boolean isHidden(String name) {
        return isDecoded() && BodyDecoding.FIELDS.contains(name.toLowerCase(Locale.ROOT));
    }

    @Override
    public Headers headers() {
        checkNotOver();
        return isDecoded() ? BodyDecoding.withoutFields(fields) : fields;
    }

    @Override
    public long bodyLength() {
        return isDecoded() ? Body.UNKNOWN : bodyLength;
    }

    @Override
    public boolean isOld() {
        return false;
    }

    @Override
    public boolean mayHaveTrailers() {
        return true;
    }

    @Override
    public void keep() {}

    @Override
    public Headers keptHeaders() {
        checkNotOver();
        return fields;
    }

    @Override
    public void wake() {
        if (stream != null) stream.wake();
    }

    @Override
    protected void checkNotOver() {
        if (isOver)
            throw new IllegalStateException("this request was lent to its handler until its response was complete, and"
                    + " that is over: take what you need before, or keep headers()");
    }

    @Override
    public void expire() {
        isOver = true;
        super.expire();
    }
}
