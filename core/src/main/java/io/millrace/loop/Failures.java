package io.millrace.loop;

import java.util.concurrent.CompletionException;

/// What a stage has failed with.
public final class Failures {
    private Failures() {}

    /// The failure itself, without the exception that a dependent stage wraps it in.
    public static Throwable bare(Throwable failure) {
        var cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
