package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.grammar.HttpGuards;

/// A filter that unpacks the bodies of requests with `Content-Encoding: gzip` or `deflate` (RFC 9110 section
/// 8.4), which a server leaves as they are otherwise. Handlers see neither that field nor the packed length.
/// Immutable; any thread.
///
/// ```java
/// HttpHandler app = Routes.of().post("/log", log).filter(Decompression.upTo(8 << 20));
/// ```
/// A kilobyte can unpack to a megabyte, so everybody has to say how much he can take. More, or more than 200
/// bytes for each that was sent, is answered with 413; another coding, or one on top of another, with 415 and
/// what there is; and what is not what it says it is, with 400.
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
                "raise Decompression.upTo or ratio, if it is wanted"));
    }

    /// Bodies of at most so many bytes, when they are unpacked (`http.decoded`).
    ///
    /// @throws IllegalArgumentException for a negative number
    public static Decompression upTo(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("bodies of " + bytes + " bytes: take 0 or more");
        return new Decompression(bytes, DecodedLimit.USUAL_RATIO);
    }

    /// A copy that takes at most so many bytes for each that was sent, of bodies that unpack to more than 1 MiB
    /// (`http.decoded.ratio`); by default 200. What deflate can do ends at 1032.
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
