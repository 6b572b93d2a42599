package io.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Memory outside the heap for blocks of slabs, of the whole JVM. Any thread.
///
/// The JVM has so much of it (`-XX:MaxDirectMemorySize`), for everybody; asking in vain takes half a second and
/// collects
/// the heap. So nobody asks twice:
///
/// ```
///   PLENTY ── an allocation fails ──► SHORT: everybody does with what there is
///      ▲                                │  a thread of its own tries after 1 s, 2 s, … 32 s
///      └──────── it succeeds ───────────┘
/// ```
/// The collector frees what was dropped when it comes by; until then it is used again, so that peaks which come and go
/// do not fill the memory with what is as good as free.
final class BlockMemory {
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 32_000;

    /// So much must be there before it is plenty again.
    private static final long HEADROOM_BYTES = 4 << 20;

    private static final AtomicBoolean IS_SHORT = new AtomicBoolean();
    private static final ConcurrentLinkedDeque<WeakReference<MemorySegment>> DROPPED = new ConcurrentLinkedDeque<>();

    private BlockMemory() {}

    /// Whether others have left nothing.
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

    /// Nobody uses this any more.
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
            // No memory for a thread either: whoever asks next finds out.
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
