package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.coding.Compressible;
import java.util.HashSet;
import java.util.Set;

/// A filter that packs the bodies of responses for those who ask for it with `Accept-Encoding` (RFC 9110 section
/// 12.5.3). Immutable: each method returns a copy. Any thread.
///
/// ```java
/// HttpHandler app = Routes.of().get("/report", report).prefix("/assets", assets).filter(Compression.gzip());
/// ```
/// With `gzip`, or `deflate` for those who prefer it. It works for responses of every kind, whole, as they are
/// written, files, and those that come later, but leaves alone what has a `Content-Encoding` already, parts of
/// files, events, media types that are packed as they are, and what says `Cache-Control: no-transform`. A strong
/// `ETag` becomes a weak one.
///
/// A stream is packed as the peer takes it, and what has left can be read, to the last byte that was written.
///
/// Do not pack what has a secret, and what a stranger can choose, in one body: its length tells him when he
/// guesses right (the attack is called BREACH). Put the filter around other routes, or answer with
/// `Cache-Control: no-transform`.
public final class Compression implements HttpFilter {
    /// Some 10 to 20 percent larger than with 6, for a quarter to a half of the time.
    private static final int USUAL_LEVEL = 2;
    private static final int USUAL_LEAST = 1 << 10;

    private final int level;
    private final int leastBytes;
    private final Set<String> moreTypes;
    private final ResponseCoding coding;

    private Compression(int level, int leastBytes, Set<String> moreTypes) {
        this.level = level;
        this.leastBytes = leastBytes;
        this.moreTypes = moreTypes;
        this.coding = new ResponseCoding(level, leastBytes, moreTypes);
    }

    /// For texts, JSON, XML, scripts, fonts and the like, from 1 KiB on.
    public static Compression gzip() {
        return new Compression(USUAL_LEVEL, USUAL_LEAST, Set.of());
    }

    /// How hard it tries: 1, which is fast, to 9, which makes it small; by default 2.
    ///
    /// @throws IllegalArgumentException for any other
    public Compression level(int level) {
        if (level < 1 || level > 9) throw new IllegalArgumentException("level " + level + ": take 1 to 9");
        return new Compression(level, leastBytes, moreTypes);
    }

    /// Bodies that are known to be shorter stay as they are; by default 1 KiB, which is what a packet holds.
    ///
    /// @throws IllegalArgumentException for a negative one
    public Compression least(int bytes) {
        if (bytes < 0) throw new IllegalArgumentException("bodies of " + bytes + " bytes: take 0 or more");
        return new Compression(level, bytes, moreTypes);
    }

    /// One more media type, without parameters.
    ///
    /// @throws IllegalArgumentException for a text that is none
    public Compression type(String mediaType) {
        if (mediaType.indexOf('/') < 1 || mediaType.indexOf(';') >= 0) {
            throw new IllegalArgumentException(
                    "'" + mediaType + "' is no media type: take one like application/vnd.mine");
        }
        var more = new HashSet<>(moreTypes);
        more.add(Compressible.type(mediaType));
        return new Compression(level, leastBytes, Set.copyOf(more));
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> coding.code(request, next.handle(request));
    }
}
