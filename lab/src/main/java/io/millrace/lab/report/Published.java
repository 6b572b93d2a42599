package io.millrace.lab.report;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// The figures of an old public comparison, from `published.json`: facts to compare with, never targets.
///
/// @param hardware they were measured on
/// @param note says that they are not ours
record Published(String title, int year, String hardware, String note, List<Row> rows) {
    private static final double SAME_SIZE = 0.03;

    /// @param messagesPerSecond NaN where none was published, as for all figures
    /// @param averageMillis as printed, for instance `<1`
    /// @param p90Millis as printed
    record Row(
            String system,
            int sizeBytes,
            double messagesPerSecond,
            double cpuPercent,
            double megabytesPerSecond,
            String averageMillis,
            String p90Millis) {
        /// Whether "1 k" in the figures meant 1 000 or 1 024 is unknown.
        boolean isOfSize(int otherBytes) {
            return Math.abs(sizeBytes - otherBytes) <= SAME_SIZE * sizeBytes;
        }
    }

    static Published executor() {
        try (var file = Published.class.getResourceAsStream("published.json")) {
            if (file == null) {
                throw new IllegalStateException(
                        "published.json is missing beside " + Published.class + ": build again");
            }
            return JsonMapper.builder().build().readValue(file, Published.class);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /// How the page names a system, so that its figures are not taken for ours.
    String label(String system) {
        return system + " (published " + year + ")";
    }

    List<Row> ofSize(int sizeBytes) {
        return rows.stream().filter(row -> row.isOfSize(sizeBytes)).toList();
    }

    List<String> systems() {
        return rows.stream().map(Row::system).distinct().toList();
    }
}
