package io.millrace.transport;

/// A failure that is known, and is reported in the next poll.
record PendingFailure(Failure kind, String detail) {}
