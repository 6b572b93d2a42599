package io.millrace.proxy.upstream;

import java.util.concurrent.CompletionStage;

/// Asks one backend how it is. Called on the loop that drives the checks.
interface Probe extends AutoCloseable {
    /// Asks. One that has no answer in time is given up by whoever asked, and has to end by itself at about the
    /// same time.
    ///
    /// @return on any thread what it found, good or bad; an exception is bad, too
    CompletionStage<Finding> ask();

    /// Nobody asks any more.
    @Override
    default void close() {}

    /// What a question has shown.
    ///
    /// @param text for people
    record Finding(boolean isGood, String text) {}
}
