package io.millrace.transport;

/// How much the transports that try at once take of something before the rest of a loop has its turn.
final class Portions {
    /// Events of one wait: so few that what they bring is still in the cache when the answers leave, at the end of the
    /// turn.
    static final int EVENTS = 32;

    /// Connections that one listener accepts in a row.
    static final int ACCEPTS = 64;

    private Portions() {}
}
