package io.millrace.lab.load;

/// What a load measured. A message counts when it started in the measured time, and is waited for; in an open loop it
/// starts when the schedule says so, whether it could be sent then or not.
///
/// @param messages       that came back
/// @param seconds        how long that took
/// @param sizeBytes      of a message
/// @param errors         connections that failed or sent a wrong byte, and messages that did not come back
/// @param firstError     what the first one was; empty without errors
/// @param latency        how long messages took
/// @param ownCpuShare    of the load generator's busiest loop, from 0 to 1: CPU time by measured time
/// @param invalidBecause why the figures say more about the load generator than about the server; empty when they do
/// not
public record LoadResult(
        long messages,
        double seconds,
        int sizeBytes,
        long errors,
        String firstError,
        Latency latency,
        double ownCpuShare,
        String invalidBecause) {
    public double messagesPerSecond() {
        return seconds > 0 ? messages / seconds : 0;
    }

    /// In each direction.
    public double megabytesPerSecond() {
        return messagesPerSecond() * sizeBytes / 1e6;
    }
}
