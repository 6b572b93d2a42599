package io.millrace.loop;

/// A task that may take longer than others should have to wait: the loop runs a part of it in each turn, and what was
/// added behind it waits until it is done, so order is kept.
public abstract class SlicedTask implements Runnable {
    /// Goes on for a while.
    ///
    /// @return whether it is done
    protected abstract boolean runSlice();

    /// All of it, where nobody slices.
    @Override
    public final void run() {
        while (!runSlice()) Thread.onSpinWait();
    }
}
