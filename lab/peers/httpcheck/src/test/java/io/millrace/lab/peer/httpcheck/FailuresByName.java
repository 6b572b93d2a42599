package io.millrace.lab.peer.httpcheck;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/// Says which test failed with which peer. Maven's own summary has but the number of the peer.
final class FailuresByName implements TestWatcher {
    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        System.out.println("failed: " + context.getDisplayName() + ": " + cause);
    }
}
