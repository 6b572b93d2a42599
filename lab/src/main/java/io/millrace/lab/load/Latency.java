package io.millrace.lab.load;

/// Latencies of the messages of one measurement, in microseconds, with three digits; in an open loop counted from the
/// intended start.
public record Latency(
        double averageMicros,
        double p50Micros,
        double p75Micros,
        double p90Micros,
        double p95Micros,
        double p99Micros,
        double p999Micros,
        double maxMicros) {
    static Latency of(Tally tally) {
        if (tally.messages() == 0) return new Latency(0, 0, 0, 0, 0, 0, 0, 0);
        return new Latency(
                tally.nanos.getMean() / 1e3,
                tally.micros(50),
                tally.micros(75),
                tally.micros(90),
                tally.micros(95),
                tally.micros(99),
                tally.micros(99.9),
                tally.micros(100));
    }
}
