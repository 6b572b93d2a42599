package io.millrace.lab.load;

import java.util.Map;

/// What a load measured. A message counts when it started in the measured time, and is waited for; in an open
/// loop it starts when the schedule says so, whether it could be sent then or not.
///
/// @param messages       that were answered as they should
/// @param seconds        how long that took
/// @param bytes          of those answers on the wire
/// @param statuses       how many responses there were, right or wrong, by the class of their status, as in
///     `2xx`; empty unless it was HTTP
/// @param errors         connections that failed or sent a wrong byte, answers that were wrong, and messages that
///     were not answered
/// @param firstError     what the first one was; empty without errors
/// @param latency        how long messages took
/// @param ownCpuShare    of the load generator's busiest loop, from 0 to 1: CPU time by measured time
/// @param invalidBecause why the figures say more about the load generator than about the server; empty when they
///     do not
public record LoadResult(
        long messages,
        double seconds,
        long bytes,
        Map<String, Long> statuses,
        long errors,
        String firstError,
        Latency latency,
        double ownCpuShare,
        String invalidBecause) {
    public double messagesPerSecond() {
        return seconds > 0 ? messages / seconds : 0;
    }

    /// That came back.
    public double megabytesPerSecond() {
        return seconds > 0 ? bytes / seconds / 1e6 : 0;
    }
}
