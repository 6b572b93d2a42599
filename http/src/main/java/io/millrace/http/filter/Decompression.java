package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.grammar.HttpGuards;

/// A filter that decompresses the bodies of requests with `Content-Encoding: gzip` or `deflate` (RFC 9110 section
/// 8.4), which a server otherwise leaves unchanged. Handlers see neither that field nor the compressed length.
/// Immutable; any thread.
///
/// ```java
/// HttpHandler app = Routes.of().post("/log", log).filter(Decompression.upTo(8 << 20));
/// ```
/// A kilobyte can decompress to a megabyte, so you must set a limit. A body beyond it, or with more than 200
/// bytes for each byte sent, is answered with 413; another coding, or two on top of each other, with 415 and the
/// supported codings; a malformed body with 400.
public final class Decompression implements HttpFilter {
    private static final int MOST_RATIO = 1032;

    private final RequestDecoding decoding;
    private final long bytes;

    private Decompression(long bytes, int ratio) {
        this.bytes = bytes;
        this.decoding = new RequestDecoding(new DecodedLimit(
                bytes,
                ratio,
                HttpGuards.DECODED,
                HttpGuards.DECODED_RATIO,
                "raise Decompression.upTo or ratio, if such bodies are expected"));
    }

    /// Accepts bodies of at most this many bytes after decompression (`http.decoded`).
    ///
    /// @throws IllegalArgumentException for a negative number
    public static Decompression upTo(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("bodies of " + bytes + " bytes: take 0 or more");
        return new Decompression(bytes, DecodedLimit.USUAL_RATIO);
    }

    /// A copy with another limit for the ratio of decompressed to sent bytes, for bodies that decompress to more
    /// than 1 MiB (`http.decoded.ratio`); by default 200. Deflate's maximum is 1032.
    ///
    /// @throws IllegalArgumentException for less than 1, and more than 1032
    public Decompression ratio(int most) {
        if (most < 1 || most > MOST_RATIO) {
            throw new IllegalArgumentException("a ratio of " + most + ": take 1 to " + MOST_RATIO);
        }
        return new Decompression(bytes, most);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> decoding.handle(request, next);
    }
}
