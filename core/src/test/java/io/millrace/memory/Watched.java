package io.millrace.memory;

/// Counts what an output tells its watcher.
final class Watched implements LoopOutput.Watcher {
    int began;
    int full;

    /// What happens when the output is full.
    Runnable whenFull = () -> {};

    @Override
    public void outputBegan() {
        began++;
    }

    @Override
    public void outputIsFull() {
        full++;
        whenFull.run();
    }
}
