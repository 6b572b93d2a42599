package io.millrace.http.coding;

import java.net.SocketAddress;

/// How a response's body is compressed.
///
/// @param level 1, the fastest, to 9, the smallest
/// @param peer for the guard
public record BodyEncoding(Coding coding, int level, SocketAddress peer) {}
