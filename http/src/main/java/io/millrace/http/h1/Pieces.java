package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.exchange.OutgoingBody;
import io.millrace.http.message.Body;
import io.millrace.http.message.Callbacks;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.http.message.Upload;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import java.util.Optional;

/// The body of a request, piece by piece. The loop's.
sealed interface Pieces {
    /// So much of a body is written at once: what is less than the high watermark keeps the connection reading,
    /// without which a server that answers meanwhile would wait for us, and we for it.
    int BYTES = 64 << 10;

    static Pieces of(OutgoingRequest request, LoopOutput output) {
        return request.upload()
                .<Pieces>map(upload -> new Written(upload, output))
                .orElseGet(() -> new Whole(request.body(), output));
    }

    /// Writes the next piece.
    OutgoingBody.Next writeNext() throws Exception;

    /// It is complete, or nobody takes the rest.
    void release();

    /// One that is there.
    final class Whole implements Pieces {
        private final LoopInput left;
        private final LoopOutput output;

        private Whole(Bytes whole, LoopOutput output) {
            this.left = LoopInput.of(whole);
            this.output = output;
        }

        @Override
        public OutgoingBody.Next writeNext() {
            output.move(left, Math.min(BYTES, left.remaining()));
            return left.isEmpty() ? OutgoingBody.Next.NOTHING : OutgoingBody.Next.MORE;
        }

        @Override
        public void release() {}
    }

    /// One that user code writes.
    final class Written implements Pieces {
        private final Upload upload;
        private final OutgoingBody body;

        private Written(Upload upload, LoopOutput output) {
            this.upload = upload;
            var framing = upload.length() == Body.UNKNOWN ? Framing.CHUNKED : Framing.LENGTH;
            this.body = new OutgoingBody(framing.to(output), true, upload.length(), Optional.empty());
        }

        @Override
        public OutgoingBody.Next writeNext() throws Exception {
            long before = body.written();
            var next = body.write(upload.writer());
            while (next == OutgoingBody.Next.MORE && !isAllKnown() && body.written() - before < BYTES) {
                next = body.write(upload.writer());
            }
            if (next != OutgoingBody.Next.NOTHING && !isAllKnown()) return next;
            body.end(upload.trailers());
            return OutgoingBody.Next.NOTHING;
        }

        /// The peer answers when it has all, which is before somebody else has said that there is no more.
        private boolean isAllKnown() {
            return upload.writer() instanceof SuspendableWriter && body.written() == upload.length();
        }

        @Override
        public void release() {
            body.release();
            Callbacks.tell(upload::onClose);
        }
    }
}
