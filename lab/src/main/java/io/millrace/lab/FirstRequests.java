package io.millrace.lab;

import io.millrace.lab.process.JvmMeter;
import io.millrace.lab.process.JvmReading;
import io.millrace.lab.report.FirstUse;
import io.millrace.lab.report.LoadShape;
import java.io.IOException;
import java.util.Optional;

/// The memory of a server that has just started, after as many requests as in the comparison of 2017.
final class FirstRequests {
    private static final long COUNT = 10_000;

    private FirstRequests() {}

    /// Called right after the check.
    static FirstUse measure(Contender contender, LoadShape trial) throws IOException, InterruptedException {
        contender.send(trial, COUNT);
        var jvm = read(contender.jvm());
        long rssBytes = contender.meter().read().rssBytes();
        return new FirstUse(
                contender.candidate().name(),
                COUNT,
                jvm.map(JvmReading::heapUsedBytes).orElse(-1L),
                jvm.map(JvmReading::heapCommittedBytes).orElse(-1L),
                jvm.map(JvmReading::gcCount).orElse(0L),
                rssBytes,
                live(contender.jvm()));
    }

    private static long live(Optional<JvmMeter> meter) throws IOException {
        if (meter.isEmpty()) return -1;
        meter.get().collect();
        return meter.get().read().heapUsedBytes();
    }

    private static Optional<JvmReading> read(Optional<JvmMeter> meter) throws IOException {
        return meter.isPresent() ? Optional.of(meter.get().read()) : Optional.empty();
    }
}
