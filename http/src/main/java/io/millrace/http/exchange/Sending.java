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

/// The half of a [ClientExchange] that sends requests: the next piece of a body follows when the last has left. The
/// loop's.
///
/// ```
///   begin ─┬─ a short one: sent with the head ───────────────────────────────► COMPLETE
///          ├────────────────────────────► UNDER_WAY ── piece, piece, … ───────────┘
///          │                                ▲   │ ▲ └── nothing there ──► AWAITS_NEWS
///          └─► AWAITS_CONTINUE ─ continued ─┘   │ └──────── news ────────────┘
///                     └──────────── cut ────────┴──► CUT
/// ```
final class Sending implements BodySink {
    /// So much of a body is written at once: what is less than the high watermark keeps the connection reading,
    /// without which a server that answers meanwhile would wait for us, and we for it.
    private static final int PIECE_BYTES = 64 << 10;

    private enum State {
        AWAITS_CONTINUE,
        UNDER_WAY,
        /// The next piece is somebody else's to tell of.
        AWAITS_NEWS,
        COMPLETE,
        /// Nobody takes the rest.
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

    /// One that does not go with its head.
    private static final class Body {
        private final BodyWriter writer;
        private final Optional<Upload> upload;
        private final long length;
        private final OutgoingBody out;

        private Body(BodyWriter writer, Optional<Upload> upload, long length, BodySink sink) {
            this.writer = writer;
            this.upload = upload;
            this.length = length;
            this.out = new OutgoingBody(sink, true, length, Optional.empty());
        }

        static Body of(OutgoingRequest request, BodySink sink) {
            return request.upload()
                    .map(mine -> new Body(mine.writer(), Optional.of(mine), mine.length(), sink))
                    .orElseGet(() -> of(request.body(), sink));
        }

        private static Body of(Bytes whole, BodySink sink) {
            var left = LoopInput.of(whole);
            BodyWriter rest = to -> {
                to.move(left, Math.min(PIECE_BYTES, left.remaining()));
                return !left.isEmpty();
            };
            return new Body(rest, Optional.empty(), whole.length(), sink);
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

        /// The peer answers when it has all, which is before somebody else has said that there is no more.
        private boolean isAllKnown() {
            return writer instanceof SuspendableWriter && out.written() == length;
        }

        void release() {
            out.release();
            upload.ifPresent(mine -> Callbacks.tell(mine::onClose));
        }
    }

    /// Sends the head, and the body unless that waits.
    void begin(OutgoingRequest request) {
        var whole = request.body();
        boolean isInPieces = request.expectsContinue() || request.upload().isPresent() || whole.length() > PIECE_BYTES;
        if (!isInPieces) {
            state = State.COMPLETE;
            stream.send(request.head(), whole);
            return;
        }
        state = request.expectsContinue() ? State.AWAITS_CONTINUE : State.UNDER_WAY;
        var sent = Body.of(request, this);
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

    /// There may be more of a body that somebody else has to come up with, or room for it: one without the other
    /// would collect here what the peer does not take.
    void heardNews() {
        if (awaitsNews() && !stream.isFull()) goOn();
    }

    boolean awaitsContinue() {
        return state == State.AWAITS_CONTINUE;
    }

    /// Whether who writes the body has to come up with more of it first.
    boolean awaitsNews() {
        return state == State.AWAITS_NEWS;
    }

    /// Whether all of it was written, or nobody wants the rest.
    boolean isComplete() {
        return state == State.COMPLETE || state == State.CUT;
    }

    /// The peer wants the body, or has been asked for long enough.
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

    // From the body: who writes it may have given up the exchange before a part is complete.

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
