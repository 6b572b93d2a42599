package io.millrace.http.h1;

import io.millrace.http.BodyWriter;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;
import io.millrace.http.message.SuspendableWriter;

/// A response whose body user code writes as the peer takes it.
final class StreamedResponse implements PendingResponse {
    /// So much of a body is packed in one call: a few milliseconds.
    private static final long MOST_PACKED = 128 << 10;

    /// Written in one call; half a slab.
    private static final int MOST_BYTES = 32 << 10;

    private final HttpConnection connection;
    private final BuiltResponse answer;
    private final BodyWriter writer;
    private final long wireLength;
    private final ResponseHead.Framing framing;
    private final OutgoingBody body;
    private boolean hasBegun;

    /// For the kernel to take what was written; cleared on the loop.
    private volatile boolean isWaiting;

    private boolean isClosed;

    StreamedResponse(HttpConnection connection, BuiltResponse answer, Body.Stream stream) {
        this.connection = connection;
        this.answer = answer;
        this.writer = stream.writer();
        this.wireLength = stream.encoding().isPresent() ? Body.UNKNOWN : stream.length();
        this.framing = ResponseHead.framing(
                answer.status(), wireLength, connection.exchange().isOldPeer());
        this.body = new OutgoingBody(framing, stream.length(), stream.encoding(), connection.output());
    }

    @Override
    public void go() throws Exception {
        if (!hasBegun) {
            hasBegun = true;
            if (writer instanceof SuspendableWriter later) later.opened(connection.connection()::callHandler);
            connection.begin(answer, framing, wireLength);
        }
        try {
            write();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private void write() throws Exception {
        if (connection.exchange().isHead() || framing == ResponseHead.Framing.NO_BODY) {
            end();
            return;
        }
        long before = body.written();
        long most = connection.output().size() + MOST_BYTES;
        while (!connection.connection().isFull()) {
            var next = body.write(writer);
            if (next == OutgoingBody.Next.NOTHING) {
                body.end(writer);
                end();
                return;
            }
            if (next == OutgoingBody.Next.LATER) break;
            if (connection.output().size() >= most) {
                goOnWhenSent();
                break;
            }
            // What packs well never fills the output: others get their turn, too.
            boolean isEnough = body.isPacked() && body.written() - before >= MOST_PACKED;
            boolean mayGoOn = connection.partIsWritten(body) && !isEnough;
            if (mayGoOn) continue;
            connection.connection().callHandler();
            break;
        }
        body.flush();
    }

    /// The others get their turn, and a peer that takes nothing has not got much.
    private void goOnWhenSent() {
        if (isWaiting) return;
        isWaiting = true;
        connection.connection().whenSent(() -> {
            isWaiting = false;
            connection.connection().callHandler();
        });
    }

    private void end() {
        close();
        connection.exchangeIsOver();
    }

    @Override
    public void close() {
        if (isClosed) return;
        isClosed = true;
        body.release(connection.output().source());
        Callbacks.tell(writer::onClose);
    }

    @Override
    public long sent() {
        return body.sent();
    }
}
