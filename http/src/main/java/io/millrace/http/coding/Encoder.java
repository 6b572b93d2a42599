package io.millrace.http.coding;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.memory.LoopInput;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.Checksum;
import java.util.zip.Deflater;

/// Compresses one body, part by part. Used by one thread at a time; [#release] frees its memory, and must be
/// called however the body ends.
///
/// ```
///   encode ─► head of the wrapper, once ─► blocks ··· flush: all of it can be read ··· end ─► last block, checksum
/// ```
/// A deflater takes 256 KiB outside of the heap for as long as the body takes, which a slow peer can make
/// long. So there are at most [#MOST]; if none is left, a body is wrapped without compression (stored blocks,
/// RFC 1951 section 3.2.4), which costs nothing and is just as valid.
public final class Encoder {
    /// Bodies compressed at a time, in the whole JVM (`http.deflaters`): 128 MiB.
    public static final int MOST = 512;

    private static final int MOST_IDLE = 32;
    private static final int BUFFER = 8 << 10;
    private static final byte[] NONE = {};
    private static final byte[] GZIP_HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};
    private static final byte[] ZLIB_HEAD = {0x78, (byte) 0x9c};
    private static final byte[] LAST_BLOCK = {1, 0, 0, (byte) 0xff, (byte) 0xff};

    /// Shared by all encoders.
    public static final CoderPool<Press> DEFLATERS =
            new CoderPool<>(MOST, MOST_IDLE, Press::new, Press::reset, Press::end);

    /// A deflater with its input and output arrays.
    public static final class Press {
        private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        private final byte[] plain = new byte[BUFFER];
        private final byte[] packed = new byte[BUFFER];

        private void reset() {
            deflater.reset();
        }

        private void end() {
            deflater.end();
        }
    }

    /// Takes the compressed bytes; the array belongs to the encoder.
    @FunctionalInterface
    public interface Sink {
        void write(byte[] from, int offset, int length);
    }

    private final BodyEncoding encoding;
    private final Checksum checksum;
    private Optional<Press> press = Optional.empty();
    private byte[] plain = NONE;
    private byte[] packed = NONE;
    private long count;
    private boolean hasBegun;
    private boolean holdsBack;

    public Encoder(BodyEncoding encoding) {
        this.encoding = encoding;
        this.checksum = encoding.coding() == Coding.GZIP ? new CRC32() : new Adler32();
    }

    /// Compresses a whole body at once.
    public static Bytes whole(Bytes body, BodyEncoding encoding) {
        var all = new ByteArrayOutputStream(body.length() / 4 + 64);
        var encoder = new Encoder(encoding);
        try {
            encoder.encode(LoopInput.of(body), all::write);
            encoder.end(all::write);
        } finally {
            encoder.release();
        }
        return Bytes.of(all.toByteArray());
    }

    /// Reads all of a part; some of it may be held back until more comes.
    public void encode(Input part, Sink to) {
        begin(to);
        while (!part.isEmpty()) {
            int length = (int) Math.min(plain.length, part.remaining());
            part.read(plain, 0, length);
            checksum.update(plain, 0, length);
            count += length;
            if (press.isPresent()) deflate(press.get().deflater, length, to);
            else store(length, to);
        }
    }

    private void begin(Sink to) {
        if (hasBegun) return;
        hasBegun = true;
        press = DEFLATERS.take();
        press.ifPresentOrElse(mine -> mine.deflater.setLevel(encoding.level()), this::tooMany);
        plain = press.map(mine -> mine.plain).orElseGet(() -> new byte[BUFFER]);
        packed = press.map(mine -> mine.packed).orElseGet(() -> new byte[BUFFER]);
        var head = encoding.coding() == Coding.GZIP ? GZIP_HEAD : ZLIB_HEAD;
        to.write(head, 0, head.length);
    }

    private void tooMany() {
        HttpGuards.DEFLATERS.acted(
                encoding.peer(), DEFLATERS.most() + " bodies are being compressed: this one is sent uncompressed");
    }

    private void deflate(Deflater mine, int length, Sink to) {
        mine.setInput(plain, 0, length);
        drain(mine, Deflater.NO_FLUSH, to);
        holdsBack = true;
    }

    private void drain(Deflater mine, int mode, Sink to) {
        int got;
        do {
            got = mine.deflate(packed, 0, packed.length, mode);
            if (got > 0) to.write(packed, 0, got);
            // The first call after a change of level consumes nothing.
        } while (got == packed.length || !mine.needsInput());
    }

    private void store(int length, Sink to) {
        packed[0] = 0;
        littleEndian(length, 2, 1);
        littleEndian(~length, 2, 3);
        to.write(packed, 0, 5);
        to.write(plain, 0, length);
    }

    /// Holds nothing back: everything so far can be decoded.
    public void flush(Sink to) {
        if (!holdsBack) return;
        holdsBack = false;
        press.ifPresent(mine -> drain(mine.deflater, Deflater.SYNC_FLUSH, to));
    }

    /// Ends the body.
    public void end(Sink to) {
        begin(to);
        press.ifPresentOrElse(mine -> finish(mine.deflater, to), () -> to.write(LAST_BLOCK, 0, LAST_BLOCK.length));
        to.write(packed, 0, trailer());
        release();
    }

    private void finish(Deflater mine, Sink to) {
        mine.finish();
        while (!mine.finished()) to.write(packed, 0, mine.deflate(packed, 0, packed.length));
    }

    /// @return its length
    private int trailer() {
        long sum = checksum.getValue();
        if (encoding.coding() == Coding.DEFLATE) {
            littleEndian(Integer.reverseBytes((int) sum), 4, 0);
            return 4;
        }
        littleEndian(sum, 4, 0);
        littleEndian(count, 4, 4);
        return 8;
    }

    private void littleEndian(long value, int bytes, int at) {
        for (int i = 0; i < bytes; i++) packed[at + i] = (byte) (value >> (8 * i));
    }

    /// The body has ended, or the rest is not wanted; may be called several times.
    public void release() {
        press.ifPresent(DEFLATERS::give);
        press = Optional.empty();
    }
}
