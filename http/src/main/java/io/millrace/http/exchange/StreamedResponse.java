package io.millrace.http.exchange;

import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;
import io.millrace.http.message.SuspendableWriter;

/// A response whose body user code writes as the peer takes it.
final class StreamedResponse implements PendingResponse {
    /// How much of a body is encoded in one call: a few milliseconds.
    private static final long MOST_ENCODED = 128 << 10;

    /// Written in one call; half a slab.
    private static final int MOST_BYTES = 32 << 10;

    private final ServerExchange exchange;
    private final BuiltResponse answer;
    private final BodyWriter writer;
    private final long wireLength;
    private final OutgoingBody body;
    private boolean hasBegun;

    /// Waits for the kernel to take what was written; cleared on the loop.
    private volatile boolean isWaiting;

    private boolean isClosed;

    StreamedResponse(ServerExchange exchange, BuiltResponse answer, Body.Stream stream) {
        this.exchange = exchange;
        this.answer = answer;
        this.writer = stream.writer();
        this.wireLength = stream.encoding().isPresent() ? Body.UNKNOWN : stream.length();
        this.body = new OutgoingBody(exchange.stream(), exchange.hasBody(answer), stream.length(), stream.encoding());
        if (writer instanceof BodyPipe pipe) pipe.countedIn(exchange.stream().pipedBytes());
    }

    @Override
    public void go() throws Exception {
        if (!hasBegun) {
            hasBegun = true;
            if (writer instanceof SuspendableWriter later) later.opened(exchange.stream()::wake);
            exchange.head(answer, wireLength);
        }
        try {
            write();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private void write() throws Exception {
        if (!exchange.hasBody(answer)) {
            end();
            return;
        }
        var stream = exchange.stream();
        long before = body.written();
        long most = stream.unsentBytes() + MOST_BYTES;
        while (!stream.isFull()) {
            var next = body.write(writer);
            if (next == OutgoingBody.Next.NOTHING) {
                var trailers = writer instanceof SuspendableWriter later ? later.trailers() : Headers.EMPTY;
                body.end(trailers);
                exchange.trailers(trailers);
                end();
                return;
            }
            if (next == OutgoingBody.Next.LATER) break;
            if (stream.unsentBytes() >= most) {
                goOnWhenSent();
                break;
            }
            // A body that compresses well never fills the output, but others need their turn, too.
            boolean isEnough = body.isEncoded() && body.written() - before >= MOST_ENCODED;
            if (partLeaves() && !isEnough) continue;
            stream.wake();
            break;
        }
        body.flush();
    }

    /// The writer of the next part may block: this part is sent first.
    ///
    /// @return false when the call must end for that
    private boolean partLeaves() {
        if (!exchange.stream().mayWait()) return true;
        body.flush();
        return exchange.stream().sendMeanwhile();
    }

    /// Others get their turn, and a peer that does not read has not got much.
    private void goOnWhenSent() {
        if (isWaiting) return;
        isWaiting = true;
        exchange.stream().whenSent(() -> {
            isWaiting = false;
            exchange.stream().wake();
        });
    }

    private void end() {
        close();
        exchange.complete();
    }

    @Override
    public void breakOff() {
        close();
    }

    private void close() {
        if (isClosed) return;
        isClosed = true;
        body.release();
        Callbacks.tell(writer::onClose);
    }

    @Override
    public long sent() {
        return body.sent();
    }
}
