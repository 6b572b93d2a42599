package io.millrace.cli;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.TransportKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/// Tests a transport with an echo over loopback, in both styles. The launcher also trains its ahead-of-time cache
/// with it, because it touches most of what a server needs to start.
final class RoundTrip {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String GREETING = "Is anybody there?";

    private RoundTrip() {}

    static Optional<String> brokenBecause(TransportKind kind) {
        try (var loops = EventLoops.configure()
                        .name("millrace-doctor")
                        .threads(1)
                        .transport(kind)
                        .start();
                var callback =
                        Tcp.listen(here(loops), conn -> in -> conn.output().move(in));
                var direct = Tcp.serve(here(loops), conn -> {
                    while (conn.read()) conn.output().move(conn.input());
                })) {
            greet(callback, loops);
            greet(direct, loops);
            return Optional.empty();
        } catch (UncheckedIOException | IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static Listen here(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    private static void greet(Server server, EventLoops loops) throws IOException {
        var to = Connect.to(server.address()).loops(loops).timeout(PATIENCE).readTimeout(PATIENCE);
        try (var conn = Tcp.connect(to)) {
            conn.output().writeUtf8(GREETING);
            conn.end();
            var heard = new StringBuilder();
            while (conn.read()) heard.append(conn.input().readUtf8(conn.input().remaining()));
            if (heard.compareTo(new StringBuilder(GREETING)) == 0) return;
            throw new IOException("the loopback echo sent '" + GREETING + "' and got '" + heard + "' back");
        }
    }
}
