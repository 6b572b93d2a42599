package io.millrace.http.coding;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;

/// What others make of content codings: those of the JDK, which are none of ours.
public final class Packed {
    private Packed() {}

    public static byte[] gzip(byte[] plain) {
        try (var bytes = new ByteArrayOutputStream()) {
            try (var out = new GZIPOutputStream(bytes)) {
                out.write(plain);
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] zlib(byte[] plain) {
        try (var bytes = new ByteArrayOutputStream()) {
            try (var out = new DeflaterOutputStream(bytes)) {
                out.write(plain);
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] unpacked(Coding coding, byte[] packed) throws IOException {
        try (var in = reader(coding, packed)) {
            return in.readAllBytes();
        }
    }

    /// Whoever reads as far as it goes: the end may be missing.
    public static InputStream reader(Coding coding, byte[] packed) throws IOException {
        var bytes = new ByteArrayInputStream(packed);
        return coding == Coding.GZIP ? new GZIPInputStream(bytes) : new InflaterInputStream(bytes);
    }

    /// Words, which pack like text.
    public static byte[] text(long seed, int length) {
        var random = new Random(seed);
        var words = new String[] {"loop ", "slab ", "wire ", "the ", "of ", "a\n", "request ", "body "};
        var text = new StringBuilder(length + 16);
        while (text.length() < length)
            text.append(words[random.nextInt(words.length)]).append(random.nextInt(100));
        return text.substring(0, length).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    public static byte[] noise(long seed, int length) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
