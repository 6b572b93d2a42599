package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.TunnelSide;

/// A connection to another server that has changed its protocol (RFC 9110 section 7.8), or that was made for
/// `CONNECT`: its further bytes are only for the client that asked for it. It is paused.
///
/// @param status 101 for a change, 200 for `CONNECT`
/// @param headers of the 101 response
/// @param witness told of the connection's end by its new owner, on its loop
public record Upgraded(int status, Headers headers, TcpConnection connection, TunnelSide.Witness witness) {}
