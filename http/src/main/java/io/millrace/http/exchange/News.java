package io.millrace.http.exchange;

import io.millrace.loop.Awaiting;
import io.millrace.loop.EventLoop;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Lets one thread wait, again and again, for a signal from others. It arms the signal before it checks whether
/// it must wait:
///
/// ```java
/// for (news.expect(); !isThere(); news.expect()) news.await();
/// ```
public final class News {
    private final EventLoop loop;
    private final String what;
    private volatile CompletableFuture<Boolean> next = new CompletableFuture<>();

    /// @param loop that sends the signal
    /// @param what what is awaited, in messages
    public News(EventLoop loop, String what) {
        this.loop = loop;
        this.what = what;
    }

    /// Signals. Any thread.
    public void tell() {
        next.complete(true);
    }

    /// A signal after this call ends the next wait.
    public void expect() {
        next = new CompletableFuture<>();
    }

    /// Waits for the signal.
    ///
    /// @throws InterruptedIOException when the thread is interrupted first
    public void await() throws IOException {
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
