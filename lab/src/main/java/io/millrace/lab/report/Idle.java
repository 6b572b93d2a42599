package io.millrace.lab.report;

/// What each of many idle connections costs a peer.
///
/// @param heapBytesEach negative for a server that is no JVM
public record Idle(String peer, int connections, double heapBytesEach, double rssBytesEach) {}
