package io.millrace.transport;

/// A failure that is known, and is told when its turn comes.
record Refusal(Failure kind, String detail) {}
