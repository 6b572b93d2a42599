package io.millrace.proxy.configuration;

import java.time.Duration;

/// How long a backend may take.
///
/// @param connect for the lookup of its name and the handshake together
/// @param firstByte from the request to the first byte of its response
/// @param idle while nothing of a message moves, either way; on layer 4, while nothing moves at all
/// @param kept how long a connection without a request is kept for the next one
/// @param whole from the request to the end of its response; zero for any time
public record TimeoutSettings(Duration connect, Duration firstByte, Duration idle, Duration kept, Duration whole) {
    public static final TimeoutSettings STANDARD = new TimeoutSettings(
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ZERO);
}
