package io.millrace.transport;

/// How much the readiness transports process at once before the rest of a loop has its turn.
final class Portions {
    /// Events of one wait: so few that their bytes are still in the cache when the answers are sent, at the
    /// turn's end.
    static final int EVENTS = 32;

    /// How many connections one listener accepts in a row.
    static final int ACCEPTS = 64;

    private Portions() {}
}
