package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.loop.TcpConnection;

/// A connection to another server that has changed its protocol (RFC 9110 section 7.8): what it sends next is for
/// nobody but the client that asked for the change. It is paused.
///
/// @param headers of the response with 101
public record Upgraded(Headers headers, TcpConnection connection) {}
