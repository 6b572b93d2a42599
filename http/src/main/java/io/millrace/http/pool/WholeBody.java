package io.millrace.http.pool;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Origin;
import io.millrace.net.Overloaded;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Collects a whole response. On its loop only.
final class WholeBody implements ResponseReader<Response> {
    private static final byte[] NONE = {};
    private static final int LEAST = 1 << 10;

    private final long most;
    private final Origin origin;
    private @Nullable Response head;
    private byte[] bytes = NONE;
    private int length;
    private Headers trailers = Headers.EMPTY;

    /// @param most the longest body in bytes
    WholeBody(long most, Origin origin) {
        this.most = Math.min(most, Integer.MAX_VALUE - 8);
        this.origin = origin;
    }

    @Override
    public void onHead(Response head) {
        this.head = head;
    }

    @Override
    public void onBody(Input part) throws Overloaded {
        long needed = length + part.remaining();
        if (needed > most) {
            var detail = "a body of more than " + most + " bytes from " + origin + " (" + HttpGuards.CLIENT_BODY.name()
                    + "): raise HttpLimits.bodyBytes, or read it as it arrives";
            HttpGuards.CLIENT_BODY.acted(origin.address(), detail);
            throw new Overloaded(detail);
        }
        int count = (int) part.remaining();
        // A growing array, not a list of parts: a peer that sends byte by byte must not cost more.
        if (needed > bytes.length) bytes = Arrays.copyOf(bytes, (int) roomFor(needed));
        part.read(bytes, length, count);
        length += count;
    }

    private long roomFor(long needed) {
        return Math.min(most, Math.max(needed, Math.max(LEAST, 2L * bytes.length)));
    }

    @Override
    public void onTrailers(Headers fields) {
        trailers = fields;
    }

    @Override
    public Response onEnd() {
        var answered = head;
        if (answered == null) throw new IllegalStateException("a response ends before it begins");
        var body = Bytes.copyOf(MemorySegment.ofArray(bytes).asSlice(0, length));
        return BuiltResponse.received(answered.status(), answered.headers(), body, trailers);
    }
}
