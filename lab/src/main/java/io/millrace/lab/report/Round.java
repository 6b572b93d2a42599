package io.millrace.lab.report;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import java.util.List;
import java.util.Optional;

/// One timed window of one peer.
///
/// @param megabytesPerSecond millions of bytes, in one direction
/// @param serverCpuPercent of one core: 200 is two busy cores
/// @param serverCpuMicrosPerMessage of all threads and child processes
/// @param jvm empty for a server that is no JVM
/// @param rssBytes resident memory at the end of the window
/// @param overTime once a second
/// @param invalidBecause why the round does not count, for instance because the load was the bottleneck; empty
///     when it counts
public record Round(
        double messagesPerSecond,
        double megabytesPerSecond,
        double serverCpuPercent,
        double serverCpuMicrosPerMessage,
        double contextSwitchesPerMessage,
        Latency latency,

        @JsonSerialize(using = OptionalJvm.Writer.class) @JsonDeserialize(using = OptionalJvm.Reader.class)
        Optional<Jvm> jvm,

        long rssBytes,
        List<Moment> overTime,
        String invalidBecause) {
    public Round {
        overTime = List.copyOf(overTime);
    }

    /// Whether the round is valid: others appear in no median.
    public boolean counts() {
        return invalidBecause.isEmpty();
    }
}
