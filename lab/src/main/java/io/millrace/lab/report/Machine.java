package io.millrace.lab.report;

import java.util.List;

/// The fingerprint of the machine, taken before the first round.
///
/// @param cores processors the lab could use
/// @param governor of the CPU frequency; "unknown" where the kernel does not say
/// @param mitigations of processor faults, as the kernel words them
/// @param loadBefore load average of the last minute
/// @param when ISO 8601, with the offset from UTC
/// @param warnings what makes the figures doubtful, for instance another process that used the CPU
public record Machine(
        String cpu,
        int cores,
        String kernel,
        String jdk,
        String governor,
        String mitigations,
        double loadBefore,
        String when,
        List<String> warnings) {
    public Machine {
        warnings = List.copyOf(warnings);
    }

    /// The same machine, seen after the last round.
    public Machine warnings(List<String> more) {
        return new Machine(cpu, cores, kernel, jdk, governor, mitigations, loadBefore, when, more);
    }
}
