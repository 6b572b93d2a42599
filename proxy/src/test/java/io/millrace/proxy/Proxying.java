package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.RequestListener;
import io.millrace.http.door.AnyDispatch;
import io.millrace.proxy.backend.Balance;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// A proxy of a test, on a free port; closing it asserts that every slab came home, of its loops and its
/// backends'.
record Proxying(List<EventLoops> loops, Upstream upstream, Server server) implements AutoCloseable {
    /// Where a proxy runs, its handlers, and its connections to backends.
    @SuppressWarnings("ImmutableEnumChecker") // a Dispatch is a record of an int
    enum Kind {
        NIO_SAME(TransportKind.NIO, Dispatch.loop(), UpstreamLoops.SAME),
        NIO_OWN(TransportKind.NIO, Dispatch.loop(), UpstreamLoops.OWN),
        EPOLL_SAME(TransportKind.EPOLL, Dispatch.loop(), UpstreamLoops.SAME),
        EPOLL_SHARED(TransportKind.EPOLL, Dispatch.loop(), UpstreamLoops.SHARED),
        EPOLL_OWN(TransportKind.EPOLL, Dispatch.loop(), UpstreamLoops.OWN),
        EPOLL_SAME_VIRTUAL(TransportKind.EPOLL, Dispatch.virtual(), UpstreamLoops.SAME),
        EPOLL_OWN_POOL(TransportKind.EPOLL, Dispatch.pool(2), UpstreamLoops.OWN),
        URING_SAME(TransportKind.URING, Dispatch.loop(), UpstreamLoops.SAME),
        URING_OWN_VIRTUAL(TransportKind.URING, Dispatch.virtual(), UpstreamLoops.OWN);

        private enum UpstreamLoops {
            SAME,
            SHARED,
            OWN
        }

        private final TransportKind transport;
        private final Dispatch dispatch;
        private final UpstreamLoops where;

        Kind(TransportKind transport, Dispatch dispatch, UpstreamLoops where) {
            this.transport = transport;
            this.dispatch = dispatch;
            this.where = where;
        }

        Proxying to(String... uris) {
            return to(upstream -> upstream, uris);
        }

        Proxying to(UnaryOperator<Upstream> setup, String... uris) {
            return serve(setup.apply(Upstream.of(uris).balance(Balance.ROUND_ROBIN)), upstream -> upstream);
        }

        /// @param handler made of the upstream
        Proxying serve(Upstream upstream, Function<Upstream, HttpHandler> handler) {
            return serve(HttpLimits.standard(), upstream, handler);
        }

        /// @param told hears of each request
        Proxying serve(Upstream upstream, RequestListener told, Function<Upstream, HttpHandler> handler) {
            return serve(HttpLimits.standard(), told, upstream, handler);
        }

        Proxying serve(HttpLimits limits, Upstream upstream, Function<Upstream, HttpHandler> handler) {
            return serve(limits, RequestListener.NOBODY, upstream, handler);
        }

        /// Over TLS, in the version that the client chooses.
        Proxying secure(
                PemFiles files, Upstream upstream, RequestListener told, Function<Upstream, HttpHandler> handler) {
            var tls = Tls.server(files.chain(), files.key()).speaking("h2", "http/1.1");
            return serve(listen -> listen.through(tls), HttpLimits.standard(), told, upstream, handler);
        }

        private Proxying serve(
                HttpLimits limits, RequestListener told, Upstream same, Function<Upstream, HttpHandler> handler) {
            return serve(listen -> listen, limits, told, same, handler);
        }

        private Proxying serve(
                UnaryOperator<Listen> choice,
                HttpLimits limits,
                RequestListener told,
                Upstream same,
                Function<Upstream, HttpHandler> handler) {
            if (transport == TransportKind.URING) {
                Transports.unavailableBecause(transport).ifPresent(why -> abort("io_uring does not work here: " + why));
            }
            var loops = start(2);
            var others = where == UpstreamLoops.OWN ? List.of(loops, start(1)) : List.of(loops);
            var upstream = where == UpstreamLoops.SAME ? same : same.upstreamLoops(others.getLast());
            var listen = choice.apply(Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops));
            return new Proxying(
                    others, upstream, AnyDispatch.serve(listen, dispatch, limits, told, handler.apply(upstream)));
        }

        /// How many connections to a backend requests one behind the other may open. Of shared loops it is the
        /// one with the fewest calls that takes a request, and a call can be over for the client and not yet
        /// there.
        int mostConnections() {
            return where == UpstreamLoops.SHARED ? 2 : 1;
        }

        private EventLoops start(int threads) {
            return EventLoops.configure().transport(transport).threads(threads).start();
        }
    }

    RawClient connect() throws IOException {
        return new RawClient(server.port());
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

    @Override
    public void close() {
        server.drain(Duration.ofSeconds(5));
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
