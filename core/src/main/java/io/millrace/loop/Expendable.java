package io.millrace.loop;

/// A [io.millrace.net.Handler] that says when its connection may go because others need its descriptor.
public interface Expendable {
    /// Whether nothing was asked for yet, or everything that was has been answered. On the loop, never during a
    /// loan.
    boolean isExpendable();
}
