package io.millrace.proxy.admin;

import io.millrace.http.operation.ProcessStatus;
import io.millrace.net.LoopCounters;
import java.util.List;

/// What the page shows at a moment. Immutable.
///
/// @param requests served since the start
/// @param out backends on the list that get no requests
/// @param guards the guards that have acted
record Sample(
        LoadSample moment,
        long requests,
        int out,
        List<OfLoop> loops,
        List<OfUpstream> upstreams,
        List<OfGuard> guards) {

    /// @param busy the share of the time that it worked, 0 to 1
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
    /// @param webSockets that are open
    /// @param more backends beyond those in the sample
    record OfUpstream(String name, int layer, long retries, long webSockets, List<OfBackend> backends, int more) {}

    /// @param why details of its state; may be empty
    /// @param rate requests that ended, a second
    /// @param failing those of them that count as failures
    /// @param requests since the start
    /// @param failures since the start
    /// @param p50Micros NaN if there were no requests lately
    /// @param p99Micros NaN if there were no requests lately
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
    /// @param lastly the subject and the reason of the last time
    record OfGuard(String name, long count, long lately, String lastly) {}

    /// The state of a backend; the first that applies.
    enum State {
        /// It has left the list, and still has requests in flight.
        LEAVING,
        /// Disabled by hand.
        OUT,
        /// Its checks fail.
        DOWN,
        /// Ejected, as its requests failed.
        EJECTED,
        /// In a slow start.
        WARMING,
        UP
    }

    /// One second, or a little more. Immutable.
    ///
    /// @param epochMillis when it ended
    /// @param statuses requests that ended, a second, by the class of their status; index 0 is for those without a
    ///     response
    /// @param cut requests without a whole response, a second
    /// @param micros the latency that half, 90, 99 and 99.9 % of them did not exceed; NaN without requests
    /// @param receivedBytes from the kernel, a second
    /// @param sentBytes to the kernel, a second
    /// @param connections open connections, of clients and to backends
    /// @param busy the share of the time that the busiest loop worked, 0 to 1
    @SuppressWarnings("ArrayRecordComponent") // never changed
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

        /// The names of [#micros].
        static final String[] QUANTILES = {"p50", "p90", "p99", "p999"};

        static final double[] SHARES = {0.5, 0.9, 0.99, 0.999};
    }

    /// Memory by owner, in bytes.
    ///
    /// @param connections slabs in use
    /// @param pool free slabs
    /// @param heapUsed objects, garbage included
    /// @param heapFree the rest of the heap
    /// @param resident the process's resident memory; 0 if the system does not tell
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
