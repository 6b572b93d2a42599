package io.millrace.http.exchange;

import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopSignal;
import java.io.IOException;
import java.io.InterruptedIOException;

/// Lets one thread wait, again and again, for a signal from others. It arms the signal before it checks whether
/// it must wait:
///
/// ```java
/// for (news.expect(); !isThere(); news.expect()) news.await();
/// ```
public final class News {
    private final Object what;
    private final LoopSignal signal;

    /// @param loop that sends the signal
    /// @param what what is awaited, in messages
    public News(EventLoop loop, Object what) {
        this.what = what;
        this.signal = new LoopSignal(loop, what);
    }

    /// Signals. Any thread.
    public void tell() {
        signal.tell();
    }

    /// A signal after this call ends the next wait.
    public void expect() {
        signal.expect();
    }

    /// Waits for the signal.
    ///
    /// @throws InterruptedIOException when the thread is interrupted first
    public void await() throws IOException {
        try {
            signal.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + what);
        }
    }
}
