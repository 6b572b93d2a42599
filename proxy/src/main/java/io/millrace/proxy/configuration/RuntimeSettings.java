package io.millrace.proxy.configuration;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import java.nio.file.Path;
import java.util.Optional;

/// Threads and memory. Changes take effect with the next start.
///
/// @param loops event loops; 0 for one for each core
/// @param dispatch where requests are handled: a proxy itself never waits, so on the loop but for measurements
/// @param isPooled whether memory for bytes under way is used again
/// @param handOver the socket at which the next process takes over; empty for none
/// @param aggregateBytes bodies of up to so many bytes are collected before they are passed on, longer ones flow
public record RuntimeSettings(
        int loops,
        TransportKind transport,
        Dispatch dispatch,
        boolean isPooled,
        long aggregateBytes,
        Optional<Path> handOver) {
    public static final RuntimeSettings STANDARD =
            new RuntimeSettings(0, TransportKind.AUTO, Dispatch.loop(), true, 0, Optional.empty());
}
