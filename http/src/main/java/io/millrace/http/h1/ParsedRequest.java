package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.memory.LoopInput;
import io.millrace.net.Connection;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A request that a peer sent: a view of its head's bytes, which serve the next request when this one is over.
public final class ParsedRequest extends ReceivedRequest {
    private static final Input NO_BODY = LoopInput.of(Bytes.EMPTY);

    private final Target target;
    private final String method;

    /// Null when the exchange is over. A handler may have another thread look while the bytes of the loop give
    /// way to a copy: who reads looks again afterwards ([#read]).
    private volatile @Nullable RequestHead head;

    private Input body = NO_BODY;
    private Headers trailers = Headers.EMPTY;

    /// The body is shown without its content coding, and so are the fields that speak of it.
    private boolean isDecoded;

    private boolean isKept;
    private boolean isBodyToCome;
    private boolean isBodyKept;

    ParsedRequest(Connection connection, RequestHead head) throws Refusal {
        super(connection);
        this.head = head;
        this.target = head.asked();
        this.method = head.method();
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return target.path();
    }

    @Override
    public String query() {
        return target.query();
    }

    @Override
    public Optional<String> header(String name) {
        if (isDecoded && BodyDecoding.FIELDS.contains(name.toLowerCase(Locale.ROOT))) {
            head();
            return Optional.empty();
        }
        return read(fields -> {
            int line = fields.find(name, 0);
            return line < 0 ? hostOfTarget(name) : Optional.of(fields.valueText(line));
        });
    }

    /// A target that names its host stands for the Host field, which HTTP/1.0 may leave out. Whoever asks for the
    /// host finds it in that field, so that no two disagree about it.
    private Optional<String> hostOfTarget(String name) {
        boolean isNamed = name.equalsIgnoreCase("Host") && !target.authority().isEmpty();
        return isNamed ? Optional.of(target.authority()) : Optional.empty();
    }

    @Override
    public List<String> headers(String name) {
        if (isDecoded && BodyDecoding.FIELDS.contains(name.toLowerCase(Locale.ROOT))) return List.of();
        return read(fields -> {
            int line = fields.find(name, 0);
            if (line < 0) return hostOfTarget(name).stream().toList();
            var values = new ArrayList<String>(1);
            for (; line >= 0; line = fields.find(name, line + 1)) values.add(fields.valueText(line));
            return values;
        });
    }

    @Override
    public Headers headers() {
        var received = read(RequestHead::headers);
        boolean isOfTarget = !target.authority().isEmpty() && !received.has("Host");
        var all = isOfTarget ? received.with("Host", target.authority()) : received;
        return isDecoded ? BodyDecoding.withoutFields(all) : all;
    }

    /// What was read from bytes that had been given up by then means nothing, whatever it looked like.
    private <T> T read(Function<RequestHead, T> reading) {
        while (true) {
            var fields = head();
            try {
                var found = reading.apply(fields);
                VarHandle.acquireFence();
                if (isStill(fields)) return found;
            } catch (RuntimeException e) {
                VarHandle.acquireFence();
                if (isStill(fields)) throw e;
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // the object itself
    private boolean isStill(RequestHead fields) {
        return head == fields;
    }

    @Override
    public Input body() {
        head();
        return body;
    }

    @Override
    public Headers trailers() {
        head();
        return trailers;
    }

    private RequestHead head() {
        var mine = head;
        if (mine != null) return mine;
        throw new IllegalStateException("this request was lent to its handler until its response was complete, and that"
                + " is over: take what you need before, or keep headers()");
    }

    // The connection's side.

    /// The body, when it is there.
    void body(Input whole, Headers trailers) {
        this.body = whole;
        this.trailers = trailers;
    }

    /// The fields behind a body that was read as it arrived.
    void trailers(Headers behind) {
        trailers = behind;
    }

    /// The body goes to whoever its response says, as it arrives.
    void bodyFollows() {
        isBodyToCome = true;
    }

    /// Whether a body follows that is not in [#body].
    @Override
    public boolean isBodyToCome() {
        return isBodyToCome;
    }

    /// Of its body as it is shown, in bytes: 0 for none, and [MessageHead#CHUNKED] for one of which only the end
    /// tells.
    @Override
    public long bodyLength() {
        return isDecoded ? MessageHead.CHUNKED : head().contentLength();
    }

    int headBytes() {
        return head().at;
    }

    void passFields(ForwardedHead to, List<String> leftOut) {
        to.fields(
                head(),
                isDecoded
                        ? Stream.concat(leftOut.stream(), BodyDecoding.FIELDS.stream())
                                .toList()
                        : leftOut);
    }

    /// Whether it is one of HTTP/1.0.
    @Override
    public boolean isOld() {
        return head().isOld();
    }

    /// The path as it is passed on, which may be another form of [#path].
    @Override
    public String sentPath() {
        return target.sent();
    }

    /// A filter has unpacked the body, or whoever reads it will.
    @Override
    public void showDecoded(Input whole) {
        head();
        body = whole;
        isDecoded = true;
    }

    /// Its response takes longer than the bytes it looks at stay: from now on it has its own.
    @Override
    public void keep() {
        if (isKept) return;
        isKept = true;
        head = head().copy();
        // The bytes it looked at may be written to from now on.
        VarHandle.fullFence();
    }

    /// The handler has returned, and what it left of the body is gone.
    void bodyIsOver(Input notLent) {
        if (!isBodyKept) body = notLent;
    }

    /// The body stays until the response is complete, for a handler that is called later: it is copied. Nothing
    /// happens to one that is still to come. During the handler's call.
    @Override
    public void keepBody() {
        if (isBodyToCome || isBodyKept || body.isEmpty()) return;
        isBodyKept = true;
        body = LoopInput.of(body.readBytes(body.remaining()));
    }

    /// The exchange is over.
    void expire() {
        head = null;
        body = NO_BODY;
        VarHandle.fullFence();
    }
}
