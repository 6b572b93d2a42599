package io.millrace.cli;

import io.millrace.cli.DemoClient.Sample;
import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;

/// Shows what the demo measures: on a terminal a line that changes in place, elsewhere a line for each sample.
final class Ticker {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final String BACK_TO_LINE_START = "\r";
    private static final String ERASE_REST_OF_LINE = "\033[K";

    private final PrintWriter out;
    private final int sizeBytes;
    private final boolean isTerminal =
            Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    private final long startNanos = System.nanoTime();
    private final Sample total = new Sample();
    private long shownNanos = startNanos;

    Ticker(PrintWriter out, int sizeBytes) {
        this.out = out;
        this.sizeBytes = sizeBytes;
    }

    void show(Sample sample) {
        long nowNanos = System.nanoTime();
        total.add(sample);
        var line = String.format(Locale.ROOT, "%5.0f s  ", (nowNanos - startNanos) / NANOS_PER_SECOND)
                + figures(sample.latencies, nowNanos - shownNanos);
        shownNanos = nowNanos;
        if (isTerminal) out.print(BACK_TO_LINE_START + line + ERASE_REST_OF_LINE);
        else out.println(line);
        out.flush();
    }

    /// Ends the display with what all samples have in common.
    ///
    /// @return the exit code: 1 when a connection failed, or nothing came back
    int sumUp(int connections) {
        if (isTerminal) out.println();
        out.printf(
                Locale.ROOT,
                "summary  %s, slowest %.2f ms%n",
                figures(total.latencies, shownNanos - startNanos),
                total.latencies.maxNanos() / NANOS_PER_MILLI);
        out.printf(Locale.ROOT, "         %,d messages came back%n", total.latencies.count());
        if (total.failures > 0) {
            out.printf(
                    "         %d of %d connections failed, the first one because: %s%n",
                    total.failures, connections, total.firstFailure);
        }
        return total.failures > 0 || total.latencies.count() == 0 ? 1 : 0;
    }

    private String figures(Latencies latencies, long nanos) {
        double perSecond = latencies.count() / (nanos / NANOS_PER_SECOND);
        return String.format(
                Locale.ROOT,
                "%,9.0f messages/s  %,7.1f MB/s  p50 %.2f ms  p99 %.2f ms",
                perSecond,
                perSecond * sizeBytes / BYTES_PER_MEGABYTE,
                latencies.quantileNanos(0.50) / NANOS_PER_MILLI,
                latencies.quantileNanos(0.99) / NANOS_PER_MILLI);
    }
}
