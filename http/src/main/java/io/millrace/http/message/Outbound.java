package io.millrace.http.message;

import io.millrace.bytes.Bytes;

/// A client's view of a request with a URI.
///
/// @param body as it was given, so that it can be sent a second time
public record Outbound(Origin origin, Bytes body) {}
