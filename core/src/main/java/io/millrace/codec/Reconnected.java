package io.millrace.codec;

import java.time.Duration;

/// What has happened before a connection of a client that connects again.
///
/// @param times how many connections there were before; 0 for the first one
/// @param away since the last one was lost, or since the client was started
/// @param missed messages of this client that were dropped since the last one was opened: too many waited, or the
///     connection was lost at that moment. What was on its way is not counted, and what the server sent meanwhile is
///     known to nobody here
public record Reconnected(int times, Duration away, long missed) {}
