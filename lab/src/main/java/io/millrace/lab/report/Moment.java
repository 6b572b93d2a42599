package io.millrace.lab.report;

/// A second of a round.
///
/// @param seconds since the round began
/// @param serverCpuPercent of one core
public record Moment(double seconds, double messagesPerSecond, double serverCpuPercent) {}
