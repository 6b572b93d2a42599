package io.millrace.http.h1;

import io.millrace.bytes.Overflow;
import io.millrace.http.exchange.OutgoingBody;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.http.message.Upload;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopOutput;
import org.jspecify.annotations.Nullable;

/// The half of a [ClientConnection] that sends the bodies of requests: the next piece follows when the kernel has
/// taken the last. The loop's.
///
/// ```
///   begin ─┬─ a short one: written with the head ────────────────────────────► complete
///          ├────────────────────────────────────────────┬─ piece, piece, … ──┘
///          └─ waits for `100 Continue` ─ continued ─────┘        │
///                        └───────────────── cut ─────────────────┴──► never complete
/// ```
final class Sending {
    private final ClientConnection client;
    private final TcpConnection connection;
    private final LoopOutput output;

    /// Until all of it was written.
    private @Nullable Pieces unsent;

    private boolean awaitsContinue;
    private boolean wasCut;

    /// The next piece is somebody else's to tell of.
    private boolean awaitsNews;

    Sending(ClientConnection client, TcpConnection connection, LoopOutput output) {
        this.client = client;
        this.connection = connection;
        this.output = output;
    }

    /// The head was written; the body follows, or waits.
    void begin(OutgoingRequest request) {
        wasCut = false;
        awaitsContinue = request.expectsContinue();
        boolean isInPieces =
                awaitsContinue || request.upload().isPresent() || request.body().length() > Pieces.BYTES;
        if (isInPieces) unsent = Pieces.of(request, output);
        else output.write(request.body());
        request.upload().map(Upload::writer).ifPresent(writer -> {
            if (writer instanceof SuspendableWriter later) later.opened(connection::callHandler);
        });
        if (!awaitsContinue) goOn();
    }

    private void goOn() {
        var pieces = unsent;
        if (pieces == null) return;
        try {
            var next = pieces.writeNext();
            awaitsNews = next == OutgoingBody.Next.LATER;
            switch (next) {
                case MORE -> connection.whenSent(this::goOn);
                case LATER -> {}
                case NOTHING -> release();
            }
            client.wrote();
        } catch (Overflow e) {
            client.overflowed(e);
        } catch (Throwable e) {
            client.writerThrew(e);
        }
    }

    /// There may be more of a body that somebody else has to come up with, or room for it: one without the other
    /// would collect here what the peer does not take.
    void heardNews() {
        if (awaitsNews && !connection.isFull()) goOn();
    }

    boolean awaitsContinue() {
        return awaitsContinue;
    }

    /// Whether who writes the body has to come up with more of it first.
    boolean awaitsNews() {
        return awaitsNews;
    }

    /// Whether all of it was written, or nobody wants the rest.
    boolean isComplete() {
        return unsent == null;
    }

    /// The peer wants the body, or has been asked for long enough.
    void continued() {
        if (!awaitsContinue) return;
        awaitsContinue = false;
        goOn();
    }

    /// The peer does not want the rest.
    void cut() {
        awaitsContinue = false;
        wasCut |= unsent != null;
        release();
    }

    /// Whether the peer did not get all of it.
    boolean wasCut() {
        return wasCut;
    }

    /// As often as one likes.
    void release() {
        var pieces = unsent;
        unsent = null;
        awaitsNews = false;
        if (pieces != null) pieces.release();
    }
}
