package io.millrace.http.coding;

import io.millrace.bytes.Input;
import io.millrace.http.grammar.HttpGuards;
import java.util.Optional;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.Checksum;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Decompresses one body, part by part, within limits. Used by one thread at a time; [#release] frees its
/// memory, and must be called however the body ends.
///
/// ```
///   HEAD ── all of it ──► DATA ── last block ──► TRAILER ── checksum and length are right ──► END
/// ```
/// It is strict: one gzip member and nothing after it, because programs disagree on what follows; `deflate`
/// only in its wrapper; no dictionaries. An empty body is an empty body.
public final class Decoder {
    /// Bodies decompressed at a time, in the whole JVM (`http.inflaters`): some 80 MiB.
    public static final int MOST = 2048;

    private static final int MOST_IDLE = 64;
    private static final int BUFFER = 8 << 10;

    /// Shared by all decoders.
    public static final CoderPool<Inflater> INFLATERS =
            new CoderPool<>(MOST, MOST_IDLE, () -> new Inflater(true), Inflater::reset, Inflater::end);

    private enum State {
        HEAD,
        DATA,
        TRAILER,
        END
    }

    private final DecodedLimit limit;
    private final boolean isGzip;
    private final Checksum checksum;
    private final WrapperHead head;
    private Optional<Inflater> inflater = Optional.empty();
    private State state = State.HEAD;
    private boolean isReleased;

    /// For whole parts: the input, followed by the output.
    private byte[] buffer = {};

    /// Bytes from [#feed] that have not been decoded.
    private byte[] in = {};

    private int at;
    private int end;
    private long packed;
    private long unpacked;
    private long trailer;
    private int trailerBytes;

    public Decoder(Coding coding, DecodedLimit limit) {
        this.limit = limit;
        this.isGzip = coding == Coding.GZIP;
        this.checksum = isGzip ? new CRC32() : new Adler32();
        this.head = isGzip ? new GzipHead() : new ZlibHead();
    }

    /// Takes decompressed bytes; the array belongs to the decoder.
    ///
    /// @param <X> what it may throw
    @FunctionalInterface
    public interface Sink<X extends Exception> {
        void write(byte[] from, int offset, int length) throws X;
    }

    /// Decompresses all of a part, which is empty afterwards.
    ///
    /// @throws BadCoding if it is malformed, or decompresses to too much
    public <X extends Exception> void decode(Input part, Sink<X> to) throws BadCoding, X {
        if (buffer.length == 0) buffer = new byte[2 * BUFFER];
        while (!part.isEmpty()) {
            int length = (int) Math.min(BUFFER, part.remaining());
            part.read(buffer, 0, length);
            feed(buffer, 0, length);
            for (int count; (count = decode(buffer, BUFFER, BUFFER)) > 0; ) to.write(buffer, BUFFER, count);
        }
    }

    /// The next bytes; only when [#decode] has returned 0. They must not change until it does again.
    public void feed(byte[] from, int offset, int length) {
        in = from;
        at = offset;
        end = offset + length;
        packed += length;
    }

    /// Decompresses some bytes.
    ///
    /// @return how many bytes were written to the array; 0 when more must be fed, and after [#release]
    /// @throws BadCoding if it is malformed, or decompresses to too much
    public int decode(byte[] to, int offset, int length) throws BadCoding {
        while (!isReleased) {
            switch (state) {
                case HEAD -> {
                    while (at < end && !head.take(in[at++] & 0xff)) {}
                    if (!head.isComplete()) return 0;
                    state = State.DATA;
                }
                case DATA -> {
                    int count = inflate(to, offset, length);
                    if (count > 0) return count;
                    if (state == State.DATA) return 0;
                }
                case TRAILER -> {
                    if (!readTrailer()) return 0;
                    state = State.END;
                }
                case END -> {
                    if (at == end) return 0;
                    throw new BadCoding("bytes after the end of a compressed body");
                }
            }
        }
        return 0;
    }

    private int inflate(byte[] to, int offset, int length) throws BadCoding {
        var mine = inflater();
        try {
            mine.setInput(in, at, end - at);
            int count = mine.inflate(to, offset, length);
            at = end - mine.getRemaining();
            if (mine.finished()) state = State.TRAILER;
            checksum.update(to, offset, count);
            unpacked += count;
            limit.check(unpacked, packed);
            return count;
        } catch (DataFormatException e) {
            throw new BadCoding("a compressed body with a malformed block: " + e.getMessage());
        }
    }

    private Inflater inflater() throws BadCoding {
        if (inflater.isEmpty()) inflater = INFLATERS.take();
        return inflater.orElseThrow(() -> new BadCoding(
                503, INFLATERS.most() + " bodies are being decompressed: try again later", HttpGuards.INFLATERS));
    }

    private boolean readTrailer() throws BadCoding {
        int length = isGzip ? 8 : 4;
        while (trailerBytes < length && at < end) {
            int shift = isGzip ? 8 * trailerBytes : 8 * (3 - trailerBytes);
            trailer |= (in[at++] & 0xffL) << shift;
            trailerBytes++;
        }
        if (trailerBytes < length) return false;
        if ((trailer & 0xffff_ffffL) != checksum.getValue())
            throw new BadCoding("a compressed body with a wrong checksum");
        if (isGzip && trailer >>> 32 != (unpacked & 0xffff_ffffL)) {
            throw new BadCoding("a compressed body with a wrong length");
        }
        return true;
    }

    /// There are no more bytes.
    ///
    /// @throws BadCoding if the body is incomplete
    public void end() throws BadCoding {
        release();
        if (state != State.END && packed > 0) throw new BadCoding("a compressed body that ends too early");
    }

    /// The body has ended, or the rest is not wanted; may be called several times.
    public void release() {
        isReleased = true;
        inflater.ifPresent(INFLATERS::give);
        inflater = Optional.empty();
    }
}
