package io.millrace.proxy.admin;

import io.millrace.http.operation.ProcessStatus;
import io.millrace.net.LoopCounters;
import java.util.List;

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
