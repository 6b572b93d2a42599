package io.millrace.http.message;

import io.millrace.bytes.Bytes;

/// What a client needs of a request that was made with an URI.
///
/// @param body as it was given, so that it can be sent a second time
public record Outbound(Origin origin, Bytes body) {}
