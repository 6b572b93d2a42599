package io.millrace.proxy.configuration;

import java.time.Duration;

/// How often: a bucket of `burst` tokens for each key, into which `requests` tokens fall in each `per`. Who finds
/// it empty is refused with 429, or reset on layer 4.
///
/// @param maxKeys how many keys are remembered at most
public record RateLimitSettings(int requests, Duration per, int burst, By by, String header, int maxKeys) {
    public static final int STANDARD_MAX_KEYS = 100_000;

    /// What has a bucket of its own.
    public enum By {
        /// Each address of clients; the first 64 bits of one of IPv6.
        ADDRESS,
        /// Each value of a field.
        HEADER,
        /// There is one bucket.
        ALL
    }
}
