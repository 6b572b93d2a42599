package io.millrace.testing;

import java.lang.reflect.Method;

/// The bytes that the current thread has allocated on the heap so far; by reflection, because no module
/// reads jdk.management, nor should for a test.
public final class AllocatedBytes {
    private static final Object THREADS;
    private static final Method ALLOCATED;

    static {
        try {
            THREADS = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            ALLOCATED = Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes");
        } catch (ReflectiveOperationException missing) {
            throw new LinkageError("this JVM counts no allocated bytes", missing);
        }
    }

    private AllocatedBytes() {}

    public static long now() {
        try {
            return (long) ALLOCATED.invoke(THREADS);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("allocated bytes cannot be read", impossible);
        }
    }
}
