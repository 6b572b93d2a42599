package io.millrace.transport;

/// A failure that is known, and is told when its turn comes.
record PendingFailure(Failure kind, String detail) {}
