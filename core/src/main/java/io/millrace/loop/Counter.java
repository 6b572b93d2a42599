package io.millrace.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A number that one thread counts and any thread may read: opaque accesses cost no more than plain ones, and a
/// reader sees a recent value.
final class Counter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // through VALUE
    private long value;

    void add(long more) {
        VALUE.setOpaque(this, value + more);
    }

    void set(long now) {
        VALUE.setOpaque(this, now);
    }

    long get() {
        return (long) VALUE.getOpaque(this);
    }
}
