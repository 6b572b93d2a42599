package io.millrace.lab.load;

/// What happened since the watch heard last.
///
/// @param seconds            since the first message was sent
/// @param isWarmUp           whether the measurement has not begun
/// @param messages           that came back
/// @param messagesPerSecond  that came back
/// @param megabytesPerSecond that came back
/// @param p50Micros          the median of their latencies
/// @param p99Micros          the latency that 99 % of them did not exceed
/// @param errors             since the beginning
public record LoadProgress(
        double seconds,
        boolean isWarmUp,
        long messages,
        double messagesPerSecond,
        double megabytesPerSecond,
        double p50Micros,
        double p99Micros,
        long errors) {}
