package io.millrace;

import io.millrace.loop.LoopLog;
import io.millrace.memory.SlabPool;
import io.millrace.transport.Epoll;
import io.millrace.transport.Nio;
import io.millrace.transport.Transport;
import io.millrace.transport.Uring;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicBoolean;

/// Which transports work here: found by trying them, never by comparing versions.
public final class Transports {
    private static final System.Logger LOG = LoopLog.of("io.millrace.transport");

    /// The best first, as measured (docs/decisions/011-io-uring.md).
    private static final List<TransportKind> PREFERRED =
            List.of(TransportKind.URING, TransportKind.EPOLL, TransportKind.NIO);

    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private Transports() {}

    /// Why a transport does not work here, in a sentence with the remedy; empty when it does.
    public static Optional<String> unavailableBecause(TransportKind kind) {
        return switch (kind) {
            case AUTO, NIO -> Optional.empty();
            case EPOLL -> Epoll.unavailableBecause();
            case URING -> Uring.unavailableBecause();
        };
    }

    /// What `AUTO` means here: io_uring if it works, else epoll, else NIO; logs once which, and why.
    public static TransportKind best() {
        var reasons = new StringJoiner("; ");
        for (var kind : PREFERRED) {
            var why = unavailableBecause(kind);
            if (why.isEmpty()) return told(kind, reasons.toString());
            reasons.add(kind.label() + " does not work: " + why.get());
        }
        throw new AssertionError("NIO works everywhere");
    }

    private static TransportKind told(TransportKind best, String reasons) {
        if (TOLD.compareAndSet(false, true)) {
            var because = reasons.isEmpty() ? ": the best that works here" : ", because " + reasons;
            LOG.log(Level.INFO, "transport {0}{1}", best.label(), because);
        }
        return best;
    }

    static Transport make(TransportKind kind, SlabPool pool) throws IOException {
        return switch (kind) {
            case EPOLL -> new Epoll(pool);
            case NIO -> new Nio(pool);
            case URING -> new Uring(pool);
            case AUTO -> throw new AssertionError("AUTO stands for one of the others");
        };
    }
}
