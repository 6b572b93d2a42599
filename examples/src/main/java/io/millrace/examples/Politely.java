package io.millrace.examples;

import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.Tcp;
import java.time.Duration;

/// A server that ends well: on SIGTERM it finishes what is in flight, and exits with 0.
public final class Politely {
    public static void main(String[] args) throws InterruptedException {
        var on = Listen.on(Integer.parseInt(args[0])).idleTimeout(Duration.ofMinutes(5));
        try (var signals = Signals.catchTermination();
                var server = Tcp.listen(on, conn -> in -> conn.output().move(in))) {
            signals.await();
            server.drain(Duration.ofSeconds(30));
        }
    }
}
