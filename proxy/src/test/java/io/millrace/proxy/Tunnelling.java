package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.upstream.Backend;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/// A layer-4 proxy of a test, on a free port; closing it asserts that every slab came home.
record Tunnelling(List<EventLoops> loops, TcpUpstream upstream, Server server) implements AutoCloseable {
    private static final long LOOK_AGAIN_NANOS = 500_000;

    /// Where its connections run, and those to backends.
    enum Kind {
        NIO_SAME,
        NIO_SHARED,
        NIO_OWN,
        EPOLL_SAME,
        EPOLL_SHARED,
        EPOLL_OWN,
        URING_SAME,
        URING_SHARED,
        URING_OWN;

        private TransportKind transport() {
            return TransportKind.valueOf(name().substring(0, name().indexOf('_')));
        }

        Tunnelling to(String... addresses) {
            return to(upstream -> upstream, addresses);
        }

        Tunnelling to(UnaryOperator<TcpUpstream> setup, String... addresses) {
            return to(setup, listen -> listen, addresses);
        }

        Tunnelling to(UnaryOperator<TcpUpstream> setup, UnaryOperator<Listen> listening, String... addresses) {
            if (transport() == TransportKind.URING) {
                Transports.unavailableBecause(transport())
                        .ifPresent(why -> abort("io_uring does not work here: " + why));
            }
            var same = setup.apply(TcpUpstream.of(addresses).balance(Balance.ROUND_ROBIN));
            var loops = start(2);
            var all = name().endsWith("OWN") ? List.of(loops, start(1)) : List.of(loops);
            var upstream = name().endsWith("SAME") ? same : same.upstreamLoops(all.getLast());
            var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops);
            return new Tunnelling(all, upstream.start(), Tcp.listen(listening.apply(listen), upstream));
        }

        private EventLoops start(int threads) {
            return EventLoops.configure()
                    .transport(transport())
                    .threads(threads)
                    .start();
        }
    }

    /// The address of a backend that is not there.
    static String nobody() throws IOException {
        return "127.0.0.1:" + Machine.closedPort();
    }

    RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    Backend backend(int number) {
        return upstream.backends().orElseThrow().members().get(number);
    }

    long connections() {
        return loops.stream()
                .flatMap(group -> group.counters().stream())
                .mapToLong(counters -> counters.connections())
                .sum();
    }

    long slabBytes() {
        return loops.stream()
                .flatMap(group -> group.counters().stream())
                .mapToLong(counters -> counters.slabBytesInUse())
                .sum();
    }

    /// Both sides of everything are gone, with their memory and their places, without the peers' help.
    void assertEmpty() {
        until(() -> connections() == 0 && slabBytes() == 0);
        var backends = upstream.backends().orElseThrow();
        until(() -> backends.requests().taken() == 0 && backends.connections().taken() == 0);
    }

    /// Waits for what other threads bring about; a test that waits in vain ends by its timeout.
    static void until(BooleanSupplier isTrue) {
        while (!isTrue.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) throw new AssertionError("interrupted while waiting");
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    @Override
    public void close() {
        server.close();
        upstream.close();
        loops.forEach(EventLoops::close);
        for (var group : loops) {
            for (var counters : group.counters()) {
                assertEquals(0, counters.slabBytesInUse(), () -> "bytes of slabs that did not come home: " + counters);
            }
        }
    }
}
