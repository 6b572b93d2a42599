package io.millrace;

import io.millrace.memory.SlabPool;
import io.millrace.transport.Epoll;
import io.millrace.transport.Nio;
import io.millrace.transport.Transport;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// Which transports work here: found by trying them, never by versions.
public final class Transports {
    private static final System.Logger LOG = System.getLogger("io.millrace.transport");
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private Transports() {}

    /// Why a transport does not work here, in a sentence with the remedy; empty when it does.
    public static Optional<String> unavailableBecause(TransportKind kind) {
        return switch (kind) {
            case AUTO, NIO -> Optional.empty();
            case EPOLL -> Epoll.unavailableBecause();
            case URING -> Optional.of("io_uring is not built yet: use epoll");
        };
    }

    /// What `AUTO` means here.
    public static TransportKind best() {
        var epoll = unavailableBecause(TransportKind.EPOLL);
        var best = epoll.isEmpty() ? TransportKind.EPOLL : TransportKind.NIO;
        if (TOLD.compareAndSet(false, true)) {
            LOG.log(
                    Level.INFO,
                    "transport {0}{1}",
                    best.label(),
                    epoll.map(why -> ", because epoll does not work: " + why).orElse(": the best that works here"));
        }
        return best;
    }

    static Transport make(TransportKind kind, SlabPool pool) throws IOException {
        return switch (kind) {
            case AUTO -> make(best(), pool);
            case EPOLL -> new Epoll(pool);
            case NIO -> new Nio(pool);
            case URING ->
                throw new IOException(unavailableBecause(TransportKind.URING).orElseThrow());
        };
    }
}
