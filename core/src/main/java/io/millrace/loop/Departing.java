package io.millrace.loop;

/// A [Handler] that can tell its peer at any moment of a drain, in the middle of everything, to go elsewhere.
public interface Departing {
    /// A drain has begun: it tells its peer at a moment of its own, and needs no [Handler#onDrain]. On the loop; one
    /// that opens at this moment may hear of it twice.
    void departs(Departures all);
}
