package io.millrace.http.exchange;

import io.millrace.loop.EventLoop;
import java.net.SocketAddress;

/// Common to both sides of a version: room for output, and a way to be called again.
public interface ExchangeStream extends BodySink {
    /// Whether nothing more should be written until there is room; then the exchange is called (`goOn`). Any
    /// thread.
    boolean isFull();

    /// Runs a task on the loop when all that was written so far has been sent, or never will be.
    void whenSent(Runnable task);

    /// Has the exchange called (`goOn`) soon, and not from within this. Any thread.
    void wake();

    EventLoop loop();

    SocketAddress remote();
}
