package io.millrace.testing;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Code that native code calls: a virtual thread that waits there keeps its carrier.
public final class InNativeCall {
    private final Work work;
    private final CompletableFuture<@Nullable Exception> thrown = new CompletableFuture<>();

    private InNativeCall(Work work) {
        this.work = work;
    }

    /// What may throw anything.
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /// Runs it in a comparison of `qsort`.
    ///
    /// @return what it has thrown, null when nothing
    @SuppressWarnings("restricted")
    public static @Nullable Exception run(Work work) {
        var pointer = ValueLayout.ADDRESS;
        var type = FunctionDescriptor.of(ValueLayout.JAVA_INT, pointer, pointer);
        var call = new InNativeCall(work);
        try (var arena = Arena.ofConfined()) {
            var compare = MethodHandles.lookup()
                    .bind(call, "compare", MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
            var linker = Linker.nativeLinker();
            var sort = linker.downcallHandle(
                    linker.defaultLookup().findOrThrow("qsort"),
                    FunctionDescriptor.ofVoid(pointer, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, pointer));
            sort.invokeExact(arena.allocate(2), 2L, 1L, linker.upcallStub(compare, type, arena));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return call.thrown.join();
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // by its handle
    private int compare(MemorySegment ignored1, MemorySegment ignored2) {
        try {
            work.run();
            thrown.complete(null);
        } catch (Exception e) {
            thrown.complete(e);
        }
        return 0;
    }
}
