package io.millrace;

import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/// Makes handlers and hands them to the test, too.
final class Handlers<H extends Handler> implements HandlerFactory {
    private final Function<Connection, H> make;
    private final LinkedBlockingQueue<H> made = new LinkedBlockingQueue<>();

    Handlers(Function<Connection, H> make) {
        this.make = make;
    }

    static Handlers<Heard> heard() {
        return new Handlers<>(Heard::new);
    }

    @Override
    public Handler open(Connection conn) {
        var handler = make.apply(conn);
        made.add(handler);
        return handler;
    }

    /// The handler of the next connection.
    H next() throws InterruptedException {
        return made.take();
    }
}
