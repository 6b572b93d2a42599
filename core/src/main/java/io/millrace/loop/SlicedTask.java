package io.millrace.loop;

/// A task that takes longer than connections should wait: the loop runs a part of it in each turn. Tasks added
/// after it wait until it is done, so order is kept.
public abstract class SlicedTask implements Runnable {
    /// Goes on for a while.
    ///
    /// @return whether it is done
    protected abstract boolean runSlice();

    /// Before the first slice: does the task that comes next as a part of this one, if it can.
    ///
    /// @return whether it does; that task is not run then
    protected boolean takesAlong(Runnable next) {
        return false;
    }

    /// Runs all slices, where tasks are not sliced.
    @Override
    public final void run() {
        while (!runSlice()) Thread.onSpinWait();
    }
}
