package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.coding.Compressible;
import io.millrace.http.grammar.MediaRange;
import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;

/// A filter that compresses the bodies of responses if the request accepts it with `Accept-Encoding` (RFC 9110
/// section 12.5.3). Immutable: each method returns a copy. Any thread.
///
/// ```java
/// HttpHandler app = Routes.of().get("/report", report).prefix("/assets", assets).filter(Compression.gzip());
/// ```
/// With `gzip`, or `deflate` if the client prefers that. It works for every kind of response: whole, streamed,
/// files, and those that come later. It does not compress responses that have a `Content-Encoding`, ranges of
/// files, events, media types that are compressed already, and responses with `Cache-Control: no-transform`. A
/// strong `ETag` becomes a weak one.
///
/// A stream is compressed as the peer takes it; the peer can read all that was written so far.
///
/// Do not compress a body that has both a secret and text that a stranger can choose: the length reveals when the
/// stranger guesses right (the BREACH attack). Put the filter around other routes, or answer with
/// `Cache-Control: no-transform`.
///
/// Two filters with the same settings are equal.
@CheckReturnValue
public final class Compression implements HttpFilter {
    /// The result is 10 to 20 percent larger than with 6, in a quarter to a half of the time.
    private static final int USUAL_LEVEL = 2;
    private static final int USUAL_LEAST = 1 << 10;

    /// Its properties.
    ///
    /// @param isUsual whether the [Compressible] types are compressed, too
    private record Settings(int level, int least, boolean isUsual, List<MediaRange> types) {}

    private final Settings settings;
    private final ResponseCoding coding;

    private Compression(Settings settings) {
        this.settings = settings;
        this.coding = new ResponseCoding(settings.level, settings.least, this::isFor);
    }

    private boolean isFor(String type) {
        if (settings.isUsual && Compressible.is(type)) return true;
        return !Compressible.isEvents(type) && MediaRange.has(settings.types, type);
    }

    /// For text, JSON, XML, scripts, fonts and the like, of 1 KiB or more.
    public static Compression gzip() {
        return new Compression(new Settings(USUAL_LEVEL, USUAL_LEAST, true, List.of()));
    }

    /// The compression level: 1, the fastest, to 9, the smallest; by default 2.
    ///
    /// @throws IllegalArgumentException for any other level
    public Compression level(int level) {
        if (level < 1 || level > 9) throw new IllegalArgumentException("level " + level + ": take 1 to 9");
        return new Compression(new Settings(level, settings.least, settings.isUsual, settings.types));
    }

    public int level() {
        return settings.level;
    }

    /// Bodies known to be shorter are not compressed; by default 1 KiB, which fits in a packet.
    ///
    /// @throws IllegalArgumentException for a negative number
    public Compression least(int bytes) {
        if (bytes < 0) throw new IllegalArgumentException("bodies of " + bytes + " bytes: take 0 or more");
        return new Compression(new Settings(settings.level, bytes, settings.isUsual, settings.types));
    }

    /// In bytes.
    public int least() {
        return settings.least;
    }

    /// Adds a media type, without parameters, or a kind of them: `font/*`. Events are never compressed.
    ///
    /// @throws IllegalArgumentException for an invalid media type
    public Compression type(String mediaType) {
        var more = new ArrayList<>(settings.types);
        more.add(MediaRange.of(mediaType));
        return new Compression(new Settings(settings.level, settings.least, settings.isUsual, List.copyOf(more)));
    }

    /// Compresses these media types, or kinds of them, in place of the usual ones; without any, nothing.
    ///
    /// @throws IllegalArgumentException for an invalid media type
    public Compression types(List<String> mediaTypes) {
        var only = mediaTypes.stream().map(MediaRange::of).toList();
        return new Compression(new Settings(settings.level, settings.least, false, only));
    }

    /// Those that [#type] and [#types] named.
    public List<String> types() {
        return settings.types.stream().map(MediaRange::text).toList();
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        if (!settings.isUsual && settings.types.isEmpty()) return next;
        return request -> coding.code(request, next.handle(request));
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Compression other && settings.equals(other.settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    @Override
    public String toString() {
        return "Compression" + settings.toString().substring("Settings".length());
    }
}
