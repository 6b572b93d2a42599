package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.message.Callbacks;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.http.message.Upload;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The half of a [ClientExchange] that sends requests: the next piece of a body follows when the last has been
/// sent. On its loop only.
///
/// ```
///   begin ─┬─ a short one: sent with the head ───────────────────────────────► COMPLETE
///          ├────────────────────────────► UNDER_WAY ── piece, piece, … ───────────┘
///          │                                ▲   │ ▲ └── nothing there ──► AWAITS_NEWS
///          └─► AWAITS_CONTINUE ─ continued ─┘   │ └──────── news ────────────┘
///                     └──────────── cut ────────┴──► CUT
/// ```
final class Sending implements BodySink {
    /// The length of a piece: less than the high watermark, so that the connection goes on reading; otherwise a
    /// server that answers meanwhile and the client would wait for each other.
    private static final int PIECE_BYTES = 64 << 10;

    private enum State {
        AWAITS_CONTINUE,
        UNDER_WAY,
        /// The next piece is produced elsewhere, and signalled.
        AWAITS_NEWS,
        COMPLETE,
        /// The rest is not wanted.
        CUT
    }

    private final ClientExchange exchange;
    private final ClientStream stream;
    private State state = State.COMPLETE;

    /// Until all of it was written.
    private @Nullable Body body;

    Sending(ClientExchange exchange, ClientStream stream) {
        this.exchange = exchange;
        this.stream = stream;
    }

    /// A body that is not sent with its head.
    private static final class Body {
        private final BodyWriter writer;
        private final Optional<Upload> upload;
        private final long length;
        private final OutgoingBody out;

        /// The last byte is the end: nothing follows it.
        private final boolean endsWithLength;

        private Body(BodyWriter writer, Optional<Upload> upload, long length, BodySink sink, boolean takesTrailers) {
            this.writer = writer;
            this.upload = upload;
            this.length = length;
            this.endsWithLength = writer instanceof SuspendableWriter it && !(takesTrailers && it.mayHaveTrailers());
            this.out = new OutgoingBody(sink, true, length, Optional.empty());
        }

        static Body of(OutgoingRequest request, BodySink sink, boolean takesTrailers) {
            return request.upload()
                    .map(mine -> new Body(mine.writer(), Optional.of(mine), mine.length(), sink, takesTrailers))
                    .orElseGet(() -> of(request.body(), sink));
        }

        private static Body of(Bytes whole, BodySink sink) {
            var left = LoopInput.of(whole);
            BodyWriter rest = to -> {
                to.move(left, Math.min(PIECE_BYTES, left.remaining()));
                return !left.isEmpty();
            };
            return new Body(rest, Optional.empty(), whole.length(), sink, false);
        }

        OutgoingBody.Next writeNext() throws Exception {
            long before = out.written();
            var next = out.write(writer);
            while (next == OutgoingBody.Next.MORE && !isAllKnown() && out.written() - before < PIECE_BYTES) {
                next = out.write(writer);
            }
            if (next != OutgoingBody.Next.NOTHING && !isAllKnown()) return next;
            if (upload.isPresent()) out.end(upload.get().trailers());
            else out.end();
            return OutgoingBody.Next.NOTHING;
        }

        /// The peer may answer as soon as it has all bytes, which is before the end of the body is signalled
        /// here.
        private boolean isAllKnown() {
            return endsWithLength && out.written() == length;
        }

        void release() {
            out.release();
            upload.ifPresent(mine -> Callbacks.tell(mine::onClose));
        }
    }

    /// Sends the head, and the body unless that must wait.
    void begin(OutgoingRequest request) {
        var whole = request.body();
        boolean isInPieces = request.expectsContinue() || request.upload().isPresent() || whole.length() > PIECE_BYTES;
        if (!isInPieces) {
            state = State.COMPLETE;
            stream.send(request.head(), whole);
            return;
        }
        state = request.expectsContinue() ? State.AWAITS_CONTINUE : State.UNDER_WAY;
        var sent = Body.of(request, this, stream.takesTrailers());
        body = sent;
        stream.head(request.head());
        if (sent.writer instanceof SuspendableWriter later) later.opened(stream::wake);
        if (state == State.UNDER_WAY) goOn();
    }

    private void goOn() {
        var sent = body;
        if (sent == null || !exchange.isUnderWay()) return;
        try {
            var next = sent.writeNext();
            switch (next) {
                case MORE -> {
                    state = State.UNDER_WAY;
                    stream.whenSent(this::goOn);
                }
                case LATER -> state = State.AWAITS_NEWS;
                case NOTHING -> {
                    state = State.COMPLETE;
                    release();
                }
            }
            exchange.wrote();
        } catch (Overflow e) {
            exchange.overflowed(e);
        } catch (Throwable e) {
            exchange.writerThrew(e);
        }
    }

    /// More of a body from elsewhere may be there, or room for it: without both, bytes would pile up here.
    void heardNews() {
        if (awaitsNews() && !stream.isFull()) goOn();
    }

    boolean awaitsContinue() {
        return state == State.AWAITS_CONTINUE;
    }

    /// Whether more of the body must be produced first.
    boolean awaitsNews() {
        return state == State.AWAITS_NEWS;
    }

    /// Whether all of it was written, or the rest is not wanted.
    boolean isComplete() {
        return state == State.COMPLETE || state == State.CUT;
    }

    /// The peer wants the body, or did not answer in time.
    void continued() {
        if (!awaitsContinue()) return;
        state = State.UNDER_WAY;
        goOn();
    }

    /// The peer does not want the rest.
    void cut() {
        if (state != State.COMPLETE) state = State.CUT;
        release();
    }

    /// Whether the peer did not get all of it.
    boolean wasCut() {
        return state == State.CUT;
    }

    // For the body: its writer may give up the exchange before a part is complete.

    @Override
    public void data(LoopOutput part) {
        if (exchange.isUnderWay()) stream.data(part);
        else part.release();
    }

    @Override
    public void end(Headers trailers) {
        if (exchange.isUnderWay()) stream.end(trailers);
    }

    @Override
    public SlabSource source() {
        return stream.source();
    }

    private void release() {
        var sent = body;
        body = null;
        if (sent != null) sent.release();
    }
}
