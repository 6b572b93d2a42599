package io.millrace.http.file;

import io.millrace.http.grammar.EntityTag;
import java.time.Duration;
import java.time.Instant;

/// The current version of a file, for peers that have a copy (RFC 9110 section 8.8).
///
/// @param size in bytes
/// @param modifiedSeconds since the Unix epoch, never in the future (RFC 9110 section 8.8.2.1)
/// @param isSettled whether another change would change these values
record FileVersion(long size, EntityTag tag, long modifiedSeconds, boolean isSettled) {
    /// The clock for a file's timestamps ticks every few milliseconds on most file systems, and every two
    /// seconds on FAT: a file that has just changed may change again with the same timestamp.
    private static final Duration COARSEST_TICK = Duration.ofSeconds(2);

    /// The tag consists of size and time of the last change. It is strong, unless the file is so fresh that
    /// both may be the same after another change: then RFC 9110 section 8.8.1 demands a weak one, and ranges
    /// cannot be combined by it. Setting a changed file's time back by hand deceives it.
    ///
    /// @param more makes the tags of several files differ that are the same content in several codings
    static FileVersion of(long size, Instant modified, Instant now, String more) {
        boolean isSettled = modified.isBefore(now.minus(COARSEST_TICK));
        var opaque = Long.toHexString(size)
                + '-'
                + Long.toHexString(modified.getEpochSecond())
                + '-'
                + Integer.toHexString(modified.getNano())
                + more;
        long seconds = Math.clamp(modified.getEpochSecond(), 0, now.getEpochSecond());
        return new FileVersion(size, new EntityTag(!isSettled, opaque), seconds, isSettled);
    }
}
