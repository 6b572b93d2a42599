package io.millrace.http.exchange;

import io.millrace.http.coding.BodyEncoding;
import io.millrace.http.coding.Encoder;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// Encodes a body's content: parts go in, and the output is collected to be framed.
final class EncodedBody {
    private final Encoder encoder;
    private final LoopInput plain;
    private final LoopOutput ready;

    EncodedBody(BodyEncoding encoding, SlabSource source) {
        this.encoder = new Encoder(encoding);
        this.plain = new LoopInput(source);
        this.ready = LoopOutput.aside(source);
    }

    /// Takes a part, which is empty afterwards.
    ///
    /// @return the output to send, to be taken before the next call
    LoopOutput encode(LoopOutput part, SlabSource source) {
        ready.drawFrom(source);
        plain.endLoan(source);
        plain.appendAll(part);
        plain.lend(source);
        encoder.encode(plain, ready::write);
        return ready;
    }

    LoopOutput flush(SlabSource source) {
        ready.drawFrom(source);
        encoder.flush(ready::write);
        return ready;
    }

    LoopOutput end(SlabSource source) {
        ready.drawFrom(source);
        encoder.end(ready::write);
        return ready;
    }

    void release(SlabSource source) {
        encoder.release();
        plain.endLoan(source);
        plain.release();
        ready.drawFrom(source);
        ready.release();
    }
}
