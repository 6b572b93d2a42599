package io.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The JVM's memory outside the heap for blocks of slabs. Any thread.
///
/// The JVM limits it for all code together (`-XX:MaxDirectMemorySize`); asking in vain takes half a second and
/// collects the heap. So no thread asks twice:
///
/// ```
///   PLENTY ── an allocation fails ──► SHORT: everybody does with what there is
///      ▲                                │  a thread of its own tries after 1 s, 2 s, … 32 s
///      └──────── it succeeds ───────────┘
/// ```
/// The collector frees dropped memory at its next run; until then it is reused, so that repeated peaks do not fill
/// the memory with what is as good as free.
final class BlockMemory {
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 32_000;

    /// How much must be available before memory counts as plenty again.
    private static final long HEADROOM_BYTES = 4 << 20;

    private static final AtomicBoolean IS_SHORT = new AtomicBoolean();
    private static final ConcurrentLinkedDeque<WeakReference<MemorySegment>> DROPPED = new ConcurrentLinkedDeque<>();

    private BlockMemory() {}

    /// Whether other code has left nothing.
    static boolean isShort() {
        return IS_SHORT.get();
    }

    /// Memory for a block, or null while it is short.
    static @Nullable MemorySegment allocate(long bytes) {
        var again = dropped(bytes);
        if (again != null || isShort()) return again;
        try {
            return Arena.ofAuto().allocate(bytes, 64);
        } catch (OutOfMemoryError e) {
            if (IS_SHORT.compareAndSet(false, true)) lookLater();
            return null;
        }
    }

    /// Takes memory that is no longer used.
    static void dropped(MemorySegment memory) {
        DROPPED.push(new WeakReference<>(memory));
    }

    private static @Nullable MemorySegment dropped(long bytes) {
        for (var all = DROPPED.iterator(); all.hasNext(); ) {
            var reference = all.next();
            var memory = reference.get();
            boolean isWanted = memory == null || memory.byteSize() == bytes;
            if (isWanted && DROPPED.remove(reference) && memory != null) return memory;
        }
        return null;
    }

    private static void lookLater() {
        try {
            Thread.ofPlatform().name("millrace-memory").daemon().start(BlockMemory::look);
        } catch (OutOfMemoryError e) {
            // No memory for a thread either: the next request tries itself.
            IS_SHORT.set(false);
        }
    }

    private static void look() {
        long pauseMillis = FIRST_PAUSE_MILLIS;
        boolean isThere = false;
        while (!isThere) {
            try {
                Thread.sleep(pauseMillis);
            } catch (InterruptedException e) {
                break;
            }
            isThere = hasHeadroom();
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        }
        IS_SHORT.set(false);
    }

    private static boolean hasHeadroom() {
        try (var arena = Arena.ofConfined()) {
            arena.allocate(HEADROOM_BYTES);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }
}
