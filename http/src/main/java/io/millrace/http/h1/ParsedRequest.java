package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Connection;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A request that a peer sent: a view of its head's bytes, which serve the next request when this one is over.
public final class ParsedRequest extends ReceivedRequest {
    /// Null when the exchange is over. A handler may have another thread look while the bytes of the loop give
    /// way to a copy: who reads looks again afterwards ([#read]).
    private volatile @Nullable RequestHead head;

    private boolean isKept;

    ParsedRequest(Connection connection, RequestHead head) throws Refusal {
        super(connection, head.method(), head.asked());
        this.head = head;
    }

    @Override
    public Optional<String> header(String name) {
        if (isDecoded() && BodyDecoding.FIELDS.contains(name.toLowerCase(Locale.ROOT))) {
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
        boolean isNamed = name.equalsIgnoreCase("Host") && !authority().isEmpty();
        return isNamed ? Optional.of(authority()) : Optional.empty();
    }

    @Override
    public List<String> headers(String name) {
        if (isDecoded() && BodyDecoding.FIELDS.contains(name.toLowerCase(Locale.ROOT))) return List.of();
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
        boolean isOfTarget = !authority().isEmpty() && !received.has("Host");
        var all = isOfTarget ? received.with("Host", authority()) : received;
        return isDecoded() ? BodyDecoding.withoutFields(all) : all;
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
    public void wake() {
        TcpConnection.of(connection()).callHandler();
    }

    @Override
    protected void checkNotOver() {
        head();
    }

    private RequestHead head() {
        var mine = head;
        if (mine != null) return mine;
        throw new IllegalStateException("this request was lent to its handler until its response was complete, and that"
                + " is over: take what you need before, or keep headers()");
    }

    // The connection's side.

    /// Of its body as it is shown, in bytes: 0 for none, and [MessageHead#CHUNKED] for one of which only the end
    /// tells.
    @Override
    public long bodyLength() {
        return isDecoded() ? MessageHead.CHUNKED : head().contentLength();
    }

    @Override
    public Headers keptHeaders() {
        keep();
        return new WireHeaders(head());
    }

    /// Whether it is one of HTTP/1.0.
    @Override
    public boolean isOld() {
        return head().isOld();
    }

    /// The path as it is passed on, which may be another form of [#path].
    /// Its response takes longer than the bytes it looks at stay: from now on it has its own.
    @Override
    public void keep() {
        if (isKept) return;
        isKept = true;
        head = head().copy();
        // The bytes it looked at may be written to from now on.
        VarHandle.fullFence();
    }

    @Override
    public void expire() {
        head = null;
        super.expire();
    }
}
