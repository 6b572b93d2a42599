package io.millrace.lab.report;

/// Of the messages of one round, in microseconds; in an open loop counted from the intended start.
public record Latency(
        double averageMicros,
        double p50Micros,
        double p90Micros,
        double p99Micros,
        double p999Micros,
        double maxMicros) {}
