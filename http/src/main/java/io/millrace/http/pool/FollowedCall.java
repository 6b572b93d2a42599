package io.millrace.http.pool;

import io.millrace.http.Request;
import io.millrace.http.Response;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A response behind redirects that are followed: who cancels it stops the request that is under way.
public final class FollowedCall extends CompletableFuture<Response> {
    private final ClientPools pools;
    private int left;
    private volatile @Nullable CompletableFuture<Response> current;

    /// @param most redirects that are followed, 1 or more
    public FollowedCall(ClientPools pools, int most) {
        this.pools = pools;
        this.left = most;
    }

    /// Sends the first request.
    ///
    /// @throws IllegalArgumentException for one that may not be sent
    public FollowedCall begin(Request asked) {
        ask(asked);
        return this;
    }

    private void ask(Request asked) {
        var call = pools.call(asked).begin();
        current = call;
        // It may have been cancelled in this moment.
        if (isCancelled()) call.cancel(false);
        var _ = call.whenComplete((response, failure) -> ended(asked, response, failure));
    }

    private void ended(Request asked, @Nullable Response response, @Nullable Throwable failure) {
        if (response == null) {
            if (failure != null) completeExceptionally(failure);
            return;
        }
        try {
            var next = left-- == 0 ? null : Redirects.next(asked, response).orElse(null);
            if (next == null) complete(response);
            else ask(next);
        } catch (RuntimeException e) {
            completeExceptionally(e);
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean isCancelled = super.cancel(mayInterrupt);
        var call = current;
        if (call != null) call.cancel(mayInterrupt);
        return isCancelled;
    }
}
