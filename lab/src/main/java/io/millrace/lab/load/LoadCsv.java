package io.millrace.lab.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// A load's progress as comma-separated values (RFC 4180), a line each second, for spreadsheets; times are in ms.
/// For one thread.
public final class LoadCsv implements AutoCloseable {
    private static final String HEADER = "stage,second,warm_up,count,per_second,megabytes_per_second,average_ms,p50_ms,"
            + "p75_ms,p90_ms,p95_ms,p99_ms,p99.9_ms,slowest_ms,errors\r\n";

    private final PrintWriter to;
    private int stage;

    /// Writes a file, or replaces it.
    public LoadCsv(Path file) throws IOException {
        this.to = new PrintWriter(Files.newBufferedWriter(file));
        to.print(HEADER);
    }

    /// The next load begins.
    public void nextStage() {
        stage++;
    }

    public void second(LoadProgress now) {
        var latency = now.latency();
        to.printf(
                Locale.ROOT,
                "%d,%.1f,%d,%d,%.1f,%.3f,%s,%d\r\n",
                stage,
                now.seconds(),
                now.isWarmUp() ? 1 : 0,
                now.messages(),
                now.messagesPerSecond(),
                now.megabytesPerSecond(),
                now.messages() == 0 ? ",,,,,,," : text(latency),
                now.errors());
        to.flush();
    }

    private static String text(Latency latency) {
        return String.format(
                Locale.ROOT,
                "%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f",
                latency.averageMicros() / 1e3,
                latency.p50Micros() / 1e3,
                latency.p75Micros() / 1e3,
                latency.p90Micros() / 1e3,
                latency.p95Micros() / 1e3,
                latency.p99Micros() / 1e3,
                latency.p999Micros() / 1e3,
                latency.maxMicros() / 1e3);
    }

    /// Closes the file.
    ///
    /// @throws IOException when not everything could be written
    @Override
    public void close() throws IOException {
        boolean isWritten = !to.checkError();
        to.close();
        if (!isWritten) throw new IOException("the CSV file could not be written: look for a full disk");
    }
}
