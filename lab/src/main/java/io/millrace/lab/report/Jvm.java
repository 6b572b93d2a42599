package io.millrace.lab.report;

/// What the server's JVM said of one round.
///
/// @param heapUsedBytes at the end of the round
/// @param gcCount collections during the round
/// @param gcPauseMillis time in them, altogether
public record Jvm(
        long heapUsedBytes,
        long heapCommittedBytes,
        long gcCount,
        double gcPauseMillis,
        double allocatedBytesPerMessage) {}
