package io.millrace.http.exchange;

import io.millrace.loop.EventLoop;
import java.net.SocketAddress;

/// What both sides of a version have: room for what is written, and a way to be called again.
public interface ExchangeStream extends BodySink {
    /// Whether nothing more should be written until there is room, of which the exchange is told (`goOn`). Any thread.
    boolean isFull();

    /// Runs a task on the loop when what was written until now has left, or never will.
    void whenSent(Runnable task);

    /// Has the exchange called (`goOn`), soon, and not from within this. Any thread.
    void wake();

    EventLoop loop();

    SocketAddress remote();
}
