package io.millrace.lab.load;

/// Gets a load's progress, once a second, on the thread that waits for its result.
@FunctionalInterface
public interface LoadWatch {
    void second(LoadProgress progress);

    /// A watch that does nothing.
    static LoadWatch nobody() {
        return progress -> {};
    }
}
