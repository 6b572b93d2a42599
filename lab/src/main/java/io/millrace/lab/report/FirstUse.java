package io.millrace.lab.report;

/// What a server holds after its first requests.
///
/// @param heapUsedBytes garbage included; negative for a server that is not a JVM
/// @param heapCommittedBytes likewise
/// @param collections since its start
/// @param rssBytes before the collection
/// @param heapLiveBytes what a collection left of the heap; negative likewise
public record FirstUse(
        String peer,
        long requests,
        long heapUsedBytes,
        long heapCommittedBytes,
        long collections,
        long rssBytes,
        long heapLiveBytes) {}
