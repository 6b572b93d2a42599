package io.millrace.proxy.admin;

import io.millrace.net.LoopCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Memory by owner, in bytes.
///
/// @param connections slabs with bytes under way
/// @param pool slabs that are free
/// @param heapUsed objects, garbage too
/// @param heapFree what the heap has beyond
/// @param resident what the process has of the machine's memory; 0 where the system does not tell
record Memory(long connections, long pool, long heapUsed, long heapFree, long resident) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    static Memory now(List<LoopCounters> loops) {
        long used = 0;
        long held = 0;
        for (var loop : loops) {
            used += loop.slabBytesInUse();
            held += loop.slabBytesHeld();
        }
        var runtime = Runtime.getRuntime();
        long committed = runtime.totalMemory();
        long free = runtime.freeMemory();
        return new Memory(used, Math.max(0, held - used), committed - free, free, residentBytes());
    }

    private static long residentBytes() {
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | RuntimeException _) {
            return 0;
        }
    }
}
