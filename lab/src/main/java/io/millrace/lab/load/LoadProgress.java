package io.millrace.lab.load;

/// What happened since the watch heard last.
///
/// @param seconds            since the first message was sent
/// @param isWarmUp           whether the measurement has not begun
/// @param messages           that came back
/// @param messagesPerSecond  that came back
/// @param megabytesPerSecond that came back
/// @param latency            of those that came back
/// @param errors             since the beginning
public record LoadProgress(
        double seconds,
        boolean isWarmUp,
        long messages,
        double messagesPerSecond,
        double megabytesPerSecond,
        Latency latency,
        long errors) {}
