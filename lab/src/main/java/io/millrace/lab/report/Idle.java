package io.millrace.lab.report;

/// What each of many idle connections costs a peer.
///
/// @param messages exchanged on each before, 0 or 1
/// @param heapBytesEach negative for a server that is no JVM
public record Idle(String peer, int connections, int messages, double heapBytesEach, double rssBytesEach) {
    /// For charts.
    String label() {
        return messages == 0 ? peer + ", not asked" : peer;
    }
}
