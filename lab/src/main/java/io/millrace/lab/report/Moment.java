package io.millrace.lab.report;

/// A second of a round.
///
/// @param seconds since the round began
/// @param serverCpuPercent of one core
/// @param megabytesPerSecond millions of bytes that came back; NaN in results of older formats
/// @param serverSwitchesPerSecond context switches, voluntary and not; NaN likewise
public record Moment(
        double seconds,
        double messagesPerSecond,
        double serverCpuPercent,
        double megabytesPerSecond,
        double serverSwitchesPerSecond) {}
