package io.millrace.lab.process;

/// What a process and its descendants have used until a moment. Two of them say what was used in between.
///
/// @param atNanos the moment, as [System#nanoTime]
/// @param cpuNanos time on CPUs, of all threads
/// @param contextSwitches voluntary and not
/// @param rssBytes memory in RAM at this moment; what processes share counts for each
public record Usage(long atNanos, long cpuNanos, long contextSwitches, long rssBytes) {}
