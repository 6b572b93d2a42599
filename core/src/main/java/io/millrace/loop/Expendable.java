package io.millrace.loop;

import io.millrace.net.Handler;

/// A [Handler] that says when its connection may go because others need its descriptor.
public interface Expendable {
    /// Whether nothing was asked for yet, or everything that was has been answered. On the loop, never during a
    /// loan.
    boolean isExpendable();

    /// Whether a handler is one, and says so.
    static boolean isExpendable(Handler handler) {
        return handler instanceof Expendable expendable && expendable.isExpendable();
    }
}
