package io.millrace.http.file;

import io.millrace.http.grammar.EntityTag;
import java.time.Duration;
import java.time.Instant;

/// What a file is right now, as far as it matters to those who keep a copy (RFC 9110 section 8.8).
///
/// @param size in bytes
/// @param modifiedSeconds since 1970 began, never in the future (RFC 9110 section 8.8.2.1)
/// @param isSettled whether another change would show in what is here
record FileVersion(long size, EntityTag tag, long modifiedSeconds, boolean isSettled) {
    /// The clock that stamps a file ticks every few milliseconds on most file systems, and every two seconds on
    /// FAT: a file that was changed just now may change again and bear the same stamp.
    private static final Duration COARSEST_TICK = Duration.ofSeconds(2);

    /// The tag is made of size and time of the last change. It is strong, unless the file is so fresh that both
    /// may be the same after the next change: then RFC 9110 section 8.8.1 wants it weak, and nobody puts ranges
    /// together by it. Whoever sets the time of a changed file back by hand deceives it.
    static FileVersion of(long size, Instant modified, Instant now) {
        boolean isSettled = modified.isBefore(now.minus(COARSEST_TICK));
        var opaque = Long.toHexString(size)
                + '-'
                + Long.toHexString(modified.getEpochSecond())
                + '-'
                + Integer.toHexString(modified.getNano());
        long seconds = Math.clamp(modified.getEpochSecond(), 0, now.getEpochSecond());
        return new FileVersion(size, new EntityTag(!isSettled, opaque), seconds, isSettled);
    }
}
