package io.millrace.proxy.admin;

import java.util.List;

/// What the page shows at a moment. Immutable.
///
/// @param requests that were served since the start
/// @param out backends that get no requests, though they are on the list
/// @param guards those that have acted
record Sample(
        LoadSample moment,
        long requests,
        int out,
        List<OfLoop> loops,
        List<OfUpstream> upstreams,
        List<OfGuard> guards) {

    /// @param busy which part of the time it worked, 0 to 1
    /// @param receivedBytes a second
    /// @param sentBytes a second
    /// @param stalls turns that took too long, since the start
    /// @param failed connections that were closed by a failure, since the start
    record OfLoop(
            String name,
            long connections,
            double busy,
            double receivedBytes,
            double sentBytes,
            long accepted,
            long failed,
            long stalls) {}

    /// @param retries since the start
    /// @param more backends that are not in the list, because it is long enough
    record OfUpstream(String name, int layer, long retries, List<OfBackend> backends, int more) {}

    /// @param why what there is to say of its state; may be empty
    /// @param rate requests that ended, a second
    /// @param failing of those, the ones that are held against it
    /// @param requests since the start
    /// @param failures since the start
    /// @param p50Micros NaN when there were none lately
    /// @param p99Micros NaN when there were none lately
    record OfBackend(
            String name,
            State state,
            String why,
            int weight,
            int priority,
            String zone,
            double rate,
            double failing,
            long requests,
            long failures,
            int active,
            int waiting,
            long ejections,
            double p50Micros,
            double p99Micros) {}

    /// How often a limit has acted since the start, and in the last second.
    ///
    /// @param lastly for whom, and why
    record OfGuard(String name, long count, long lately, String lastly) {}

    /// Of a backend; what comes first is told.
    enum State {
        /// It has left the list, and has requests in flight.
        LEAVING,
        /// Put out by hand.
        OUT,
        /// Checks say so.
        DOWN,
        /// Its requests failed.
        EJECTED,
        /// It starts slowly.
        WARMING,
        UP
    }
}
