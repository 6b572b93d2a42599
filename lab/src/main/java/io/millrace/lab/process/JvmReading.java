package io.millrace.lab.process;

/// A JVM's figures about its memory at a moment. Counts are since it started.
///
/// @param gcMillis in which the garbage collector stopped it
/// @param allocatedBytes by threads of all times; -1 where the JVM does not count
public record JvmReading(
        long heapUsedBytes, long heapCommittedBytes, long gcCount, double gcMillis, long allocatedBytes) {}
