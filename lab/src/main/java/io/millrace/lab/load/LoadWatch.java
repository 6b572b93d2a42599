package io.millrace.lab.load;

/// Hears how a load is doing, once a second, on the thread that waits for its result.
@FunctionalInterface
public interface LoadWatch {
    void second(LoadProgress progress);

    /// Nobody looks.
    static LoadWatch nobody() {
        return progress -> {};
    }
}
