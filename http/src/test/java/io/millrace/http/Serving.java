package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.coding.Decoder;
import io.millrace.http.coding.Encoder;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/// A server of a test, on a free port; closing it asserts that every slab, deflater and inflater came home.
public record Serving(EventLoops loops, Server server) implements AutoCloseable {
    /// Where servers run and their handlers.
    @SuppressWarnings("ImmutableEnumChecker") // a Dispatch is a record of an int
    public enum Kind {
        NIO_LOOP(TransportKind.NIO, Dispatch.loop()),
        NIO_VIRTUAL(TransportKind.NIO, Dispatch.virtual()),
        NIO_POOL(TransportKind.NIO, Dispatch.pool(2)),
        EPOLL_LOOP(TransportKind.EPOLL, Dispatch.loop()),
        EPOLL_VIRTUAL(TransportKind.EPOLL, Dispatch.virtual()),
        EPOLL_POOL(TransportKind.EPOLL, Dispatch.pool(2)),
        URING_LOOP(TransportKind.URING, Dispatch.loop()),
        URING_VIRTUAL(TransportKind.URING, Dispatch.virtual()),
        URING_POOL(TransportKind.URING, Dispatch.pool(2));

        private final TransportKind transport;
        private final Dispatch dispatch;

        Kind(TransportKind transport, Dispatch dispatch) {
            this.transport = transport;
            this.dispatch = dispatch;
        }

        public Serving serve(HttpHandler app) {
            return serve(HttpLimits.standard(), app);
        }

        public Serving serve(HttpLimits limits, HttpHandler app) {
            return serve(HttpSettings.standard().limits(limits), app);
        }

        public Serving serve(HttpSettings settings, HttpHandler app) {
            var loops = setup(transport).threads(2).start();
            return new Serving(loops, AnyDispatch.serve(free(loops), dispatch, settings, app));
        }

        /// With bodies as values, of a MiB at most.
        public Serving serveWhole(HttpHandler app) {
            return serve(Http.whole(1 << 20, app));
        }

        public boolean isOnLoop() {
            return dispatch instanceof Dispatch.OnLoop;
        }
    }

    /// Loops of a kind, which has to work wherever the tests run; a container may forbid io_uring.
    static EventLoops.Setup setup(TransportKind transport) {
        if (transport == TransportKind.URING) {
            Transports.unavailableBecause(transport).ifPresent(why -> abort("io_uring does not work here: " + why));
        }
        return EventLoops.configure().transport(transport);
    }

    /// A free port of this machine.
    public static Listen free(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    public WebPeer connect() throws IOException {
        return WebPeer.of(server.port());
    }

    public String url(String path) {
        return "http://127.0.0.1:" + server.port() + path;
    }

    @Override
    public void close() {
        server.drain(Duration.ofSeconds(5));
        server.close();
        loops.close();
        for (var counters : loops.counters()) {
            assertEquals(0, counters.slabBytesInUse(), () -> "bytes of slabs that did not come home: " + counters);
        }
        assertEquals(0, Encoder.DEFLATERS.inUse(), "deflaters that did not come home");
        assertEquals(0, Decoder.INFLATERS.inUse(), "inflaters that did not come home");
    }
}
