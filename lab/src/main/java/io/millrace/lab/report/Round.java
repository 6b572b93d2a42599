package io.millrace.lab.report;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.millrace.lab.load.Latency;
import java.util.List;
import java.util.Optional;

/// One timed window of one peer.
///
/// @param megabytesPerSecond millions of bytes, in one direction
/// @param serverCpuPercent of one core: 200 is two busy cores
/// @param serverCpuMicrosPerMessage of all threads and child processes
/// @param jvm empty for a server that is not a JVM
/// @param rssBytes resident memory at the end of the window
/// @param overTime once a second
/// @param isLoadBound whether the load generator was the bottleneck: then the rate and the latencies are no more than
///     the load could do, while the CPU per message is still the server's
/// @param failures messages and connections that failed
/// @param invalidBecause why the round does not count, for instance because a message did not come back; empty when it
///     counts
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
        boolean isLoadBound,
        long failures,
        String invalidBecause) {
    public Round {
        overTime = List.copyOf(overTime);
    }

    /// Whether the round is valid: others appear in no median.
    public boolean counts() {
        return invalidBecause.isEmpty();
    }
}
