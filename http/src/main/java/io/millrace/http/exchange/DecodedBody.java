package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.coding.BadCoding;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.coding.Decoder;
import io.millrace.http.grammar.Refusal;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.util.Optional;

/// Stands between an arriving body and its reader: passes it on, or removes its content coding.
///
/// ```
///   part ─► decoder ─► aside ── 32 KiB, or all there is ─► lent to the reader; unread bytes are offered again
/// ```
public sealed interface DecodedBody {
    /// Passes the body on unchanged.
    DecodedBody PLAIN = new Plain();

    /// For one body.
    ///
    /// @param decoding empty if the body is read unchanged
    static DecodedBody of(Optional<BodyDecoding> decoding, SlabSource source) {
        return decoding.<DecodedBody>map(how -> new Decoding(how, source)).orElse(PLAIN);
    }

    /// Passes a part to the reader.
    ///
    /// @throws Refusal if it is malformed, or decodes to too much
    void read(Input part, BodyTarget reader, SlabSource source) throws Exception;

    /// The body is over.
    ///
    /// @throws Refusal if the encoded data is incomplete
    void end(SlabSource source) throws Refusal;

    /// May be called several times.
    void release(SlabSource source);

    /// Passes it on unchanged.
    record Plain() implements DecodedBody {
        @Override
        public void read(Input part, BodyTarget reader, SlabSource source) throws Exception {
            reader.take(part);
        }

        @Override
        public void end(SlabSource source) {}

        @Override
        public void release(SlabSource source) {}
    }

    /// Removes its content coding.
    final class Decoding implements DecodedBody {
        private static final long PIECE = 32 << 10;
        private static final long MOST_UNREAD_BYTES = 64 << 10;

        private final Decoder decoder;
        private final LoopOutput arriving;
        private final LoopInput data;

        private Decoding(BodyDecoding decoding, SlabSource source) {
            this.decoder = new Decoder(decoding.coding(), decoding.limit());
            this.arriving = LoopOutput.aside(source);
            this.data = new LoopInput(source);
        }

        @Override
        public void read(Input part, BodyTarget reader, SlabSource source) throws Exception {
            arriving.drawFrom(source);
            try {
                decoder.decode(part, (from, offset, length) -> {
                    arriving.write(from, offset, length);
                    if (arriving.size() >= PIECE) give(reader, source);
                });
                if (arriving.size() > 0) give(reader, source);
            } catch (BadCoding e) {
                throw refusal(e);
            }
        }

        private void give(BodyTarget reader, SlabSource source) throws Exception {
            data.endLoan(source);
            data.appendAll(arriving);
            data.lend(source);
            try {
                reader.take(data);
            } finally {
                data.endLoan(source);
            }
            if (data.size() > MOST_UNREAD_BYTES) {
                throw new IllegalStateException("a reader left " + data.size() + " bytes unread");
            }
        }

        @Override
        public void end(SlabSource source) throws Refusal {
            boolean isRead = data.size() == 0;
            release(source);
            try {
                decoder.end();
            } catch (BadCoding e) {
                throw refusal(e);
            }
            if (!isRead)
                throw new IllegalStateException("the end of a body was left unread: read all of it, or skip it");
        }

        private static Refusal refusal(BadCoding e) {
            return new Refusal(e.status(), String.valueOf(e.getMessage()), e.guard());
        }

        @Override
        public void release(SlabSource source) {
            decoder.release();
            arriving.drawFrom(source);
            arriving.release();
            data.endLoan(source);
            data.release();
        }
    }
}
