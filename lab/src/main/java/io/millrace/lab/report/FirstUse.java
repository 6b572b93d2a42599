package io.millrace.lab.report;

/// What a server holds after its first requests, no collection asked for.
///
/// @param heapUsedBytes negative for a server that is no JVM
/// @param heapCommittedBytes likewise
/// @param collections since its start
public record FirstUse(
        String peer, long requests, long heapUsedBytes, long heapCommittedBytes, long collections, long rssBytes) {}
