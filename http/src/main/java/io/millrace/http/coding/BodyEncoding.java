package io.millrace.http.coding;

import java.net.SocketAddress;

/// How the body of one response is packed.
///
/// @param level 1, which is fast, to 9, which is small
/// @param peer for the guard
public record BodyEncoding(Coding coding, int level, SocketAddress peer) {}
