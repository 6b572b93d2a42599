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

/// A request from a peer: a view of its head's bytes, which are reused for the next request.
public final class ParsedRequest extends ReceivedRequest {
    /// Null when the exchange is over. A handler may have another thread read while the loop's bytes are replaced
    /// by a copy: readers check again afterwards ([#read]).
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

    /// A target with a host stands for the Host field, which HTTP/1.0 may leave out. Every caller reads the host
    /// from that field, so that no two disagree about it.
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

    /// If the bytes were reused during the read, its result is discarded.
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

    /// Length of the decoded body, in bytes: 0 for none, and [MessageHead#CHUNKED] if unknown.
    @Override
    public long bodyLength() {
        return isDecoded() ? MessageHead.CHUNKED : head().contentLength();
    }

    @Override
    public Headers keptHeaders() {
        keep();
        return new WireHeaders(head());
    }

    /// Whether it is HTTP/1.0.
    @Override
    public boolean isOld() {
        return head().isOld();
    }

    /// The path as it is passed on, which may be another form of [#path].
    /// The response outlasts the shared bytes: from now on the request has a copy of its own.
    @Override
    public void keep() {
        if (isKept) return;
        isKept = true;
        head = head().copy();
        // After this the shared bytes may be written to.
        VarHandle.fullFence();
    }

    @Override
    public void expire() {
        head = null;
        super.expire();
    }
}
