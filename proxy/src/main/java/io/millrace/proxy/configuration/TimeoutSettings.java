package io.millrace.proxy.configuration;

import java.time.Duration;

/// How long a backend may take.
///
/// @param connect for the lookup of its name and the handshake together
/// @param firstByte from the request to the first byte of its response
/// @param pending how long a request waits for a connection when all are busy
/// @param idle while it is the backend's turn and nothing moves; on layer 4, while nothing moves at all
/// @param keepalive how long a connection without a request is kept for the next one
/// @param request from the request to the end of its response, with all attempts; zero for any time
public record TimeoutSettings(
        Duration connect, Duration pending, Duration firstByte, Duration idle, Duration keepalive, Duration request) {
    public static final TimeoutSettings STANDARD = new TimeoutSettings(
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(50),
            Duration.ZERO);

    /// A copy with another time in which nothing moves; zero for any.
    public TimeoutSettings idle(Duration limit) {
        return new TimeoutSettings(connect, pending, firstByte, limit, keepalive, request);
    }
}
