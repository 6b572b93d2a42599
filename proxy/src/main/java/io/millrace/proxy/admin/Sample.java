package io.millrace.proxy.admin;

import io.millrace.http.operation.ProcessStatus;
import io.millrace.net.LoopCounters;
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

    /// What happened in one second, or a little more. Immutable.
    ///
    /// @param epochMillis when it ended
    /// @param statuses requests that ended, a second, by the class of their status; index 0 is for those without a
    ///     response
    /// @param cut requests that did not get a whole response, a second
    /// @param micros how long half, 90, 99 and 99.9 % of them took at most; NaN without requests
    /// @param receivedBytes from the kernel, a second
    /// @param sentBytes to the kernel, a second
    /// @param connections open ones, of clients and to backends
    /// @param busy which part of the time the busiest loop worked, 0 to 1
    @SuppressWarnings("ArrayRecordComponent") // nobody changes them
    record LoadSample(
            long epochMillis,
            double[] statuses,
            double cut,
            double[] micros,
            double receivedBytes,
            double sentBytes,
            long connections,
            double busy,
            MemoryUse memory) {
        /// The names of [#statuses].
        static final String[] STATUSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

        /// The names of [#micros], and which part of the requests they are of.
        static final String[] QUANTILES = {"p50", "p90", "p99", "p999"};

        static final double[] SHARES = {0.5, 0.9, 0.99, 0.999};
    }

    /// Memory by owner, in bytes.
    ///
    /// @param connections slabs with bytes under way
    /// @param pool slabs that are free
    /// @param heapUsed objects, garbage too
    /// @param heapFree what the heap has beyond
    /// @param resident what the process has of the machine's memory; 0 where the system does not tell
    record MemoryUse(long connections, long pool, long heapUsed, long heapFree, long resident) {
        static MemoryUse now(List<LoopCounters> loops) {
            long used = 0;
            long held = 0;
            for (var loop : loops) {
                used += loop.slabBytesInUse();
                held += loop.slabBytesHeld();
            }
            var runtime = Runtime.getRuntime();
            long committed = runtime.totalMemory();
            long free = runtime.freeMemory();
            long resident = ProcessStatus.residentBytes().orElse(0);
            return new MemoryUse(used, Math.max(0, held - used), committed - free, free, resident);
        }
    }
}
