package io.millrace.http.exchange;

import io.millrace.loop.Awaiting;
import io.millrace.loop.EventLoop;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// What one thread waits for, again and again, and others tell of. It says so before it looks whether it has to wait:
///
/// ```java
/// for (news.expect(); !isThere(); news.expect()) news.await();
/// ```
final class News {
    private final EventLoop loop;
    private final String what;
    private volatile CompletableFuture<Boolean> next = new CompletableFuture<>();

    /// @param loop that brings it about
    /// @param what it is, in a message
    News(EventLoop loop, String what) {
        this.loop = loop;
        this.what = what;
    }

    /// There is something to look at. Any thread.
    void tell() {
        next.complete(true);
    }

    /// What is told from now on ends the next wait.
    void expect() {
        next = new CompletableFuture<>();
    }

    /// Waits until it was told.
    ///
    /// @throws InterruptedIOException when the thread is interrupted first
    void await() throws IOException {
        try {
            var _ = Awaiting.result(List.of(loop), what, next);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + what);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }
}
