package io.millrace.bytes;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Memory outside the heap for values, within a limit. Any thread.
///
/// The garbage collector frees it, and when none is left, the JVM collects the whole heap on the thread that asks.
/// To avoid that, values may use only part of what the JVM has; a value that gets none lives on the heap, which is
/// collected as it fills.
final class NativeMemory {
    /// For values that may as well be on the heap. By default the JVM has as much memory outside its heap as in it.
    static final long USUAL_BYTES = Runtime.getRuntime().maxMemory() / 4;

    /// For values that are too large to be copied, or when there is no room for a copy.
    static final long MOST_BYTES = Runtime.getRuntime().maxMemory() / 2;

    /// When other code has used up the memory, asking for more takes half a second and collects the whole heap.
    private static final long PAUSE_NANOS = 60_000_000_000L;

    private static final AtomicLong IN_USE = new AtomicLong();
    private static final ReferenceQueue<MemorySegment> COLLECTED = new ReferenceQueue<>();

    /// Keeps the references reachable until their memory is collected.
    private static final Set<Share> SHARES = ConcurrentHashMap.newKeySet();

    private static volatile long askAgainNanos = System.nanoTime();

    private NativeMemory() {}

    private static final class Share extends PhantomReference<MemorySegment> {
        final long bytes;

        Share(MemorySegment memory) {
            super(memory, COLLECTED);
            this.bytes = memory.byteSize();
        }
    }

    /// A copy of the given parts, read-only, or null when there is no memory for it below a limit.
    static @Nullable MemorySegment copyOf(long length, long limitBytes, MemorySegment... parts) {
        collect();
        if (IN_USE.addAndGet(length) > limitBytes || System.nanoTime() - askAgainNanos < 0) {
            IN_USE.addAndGet(-length);
            return null;
        }
        try {
            var memory = Bytes.joined(Arena.ofAuto().allocate(length), parts);
            SHARES.add(new Share(memory));
            return memory;
        } catch (OutOfMemoryError e) {
            IN_USE.addAndGet(-length);
            askAgainNanos = System.nanoTime() + PAUSE_NANOS;
            return null;
        }
    }

    private static void collect() {
        for (var gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
            if (gone instanceof Share share && SHARES.remove(share)) IN_USE.addAndGet(-share.bytes);
        }
    }
}
