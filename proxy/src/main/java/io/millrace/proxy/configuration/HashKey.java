package io.millrace.proxy.configuration;

/// What of a request decides which backend gets it.
///
/// @param name of the field or the cookie; empty for the source
public record HashKey(By by, String name) {
    public static final HashKey SOURCE = new HashKey(By.SOURCE, "");

    /// Where it is taken from.
    public enum By {
        /// The address of the client.
        SOURCE,
        /// A field; without it, the address.
        HEADER,
        /// A cookie; without it, the address.
        COOKIE
    }
}
