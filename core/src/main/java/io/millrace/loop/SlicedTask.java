package io.millrace.loop;

/// A task that takes longer than connections should wait: the loop runs a part of it in each turn. Tasks added
/// after it wait until it is done, so order is kept.
public abstract class SlicedTask implements Runnable {
    /// Goes on for a while.
    ///
    /// @return whether it is done
    protected abstract boolean runSlice();

    /// Runs all slices, where tasks are not sliced.
    @Override
    public final void run() {
        while (!runSlice()) Thread.onSpinWait();
    }
}
