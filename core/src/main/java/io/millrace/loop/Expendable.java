package io.millrace.loop;

import io.millrace.net.Handler;

/// A [Handler] that says when its connection may be closed because others need its descriptor.
public interface Expendable {
    /// Whether every request so far, if any, has been answered. On the loop, never during a loan.
    boolean isExpendable();

    /// Whether a handler is one, and expendable now.
    static boolean isExpendable(Handler handler) {
        return handler instanceof Expendable expendable && expendable.isExpendable();
    }
}
