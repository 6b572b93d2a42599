package io.millrace;

import io.millrace.loop.EventLoop;
import io.millrace.loop.ThreadedLoops;
import io.millrace.memory.SlabPool;
import io.millrace.os.Faults;
import io.millrace.transport.Epoll;
import io.millrace.transport.Transport;
import io.millrace.transport.Uring;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/// Event loops whose system calls fail as [Faults] are planned.
enum FaultyLoops {
    EPOLL(Loops.EPOLL) {
        @Override
        Transport transport(SlabPool pool) throws IOException {
            return new Epoll(pool, Faults.linux());
        }
    },
    URING(Loops.URING) {
        @Override
        Transport transport(SlabPool pool) throws IOException {
            return new Uring(pool, Faults.linux());
        }
    };

    private final Loops kind;

    FaultyLoops(Loops kind) {
        this.kind = kind;
    }

    abstract Transport transport(SlabPool pool) throws IOException;

    void assumeWorks() {
        kind.assumeWorks();
    }

    EventLoops start(int threads) {
        assumeWorks();
        try {
            return new EventLoops(new ThreadedLoops(threads, "millrace", false, 0, Duration.ofMillis(500), this::loop));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private EventLoop loop(int index) throws IOException {
        var pool = new SlabPool(16 << 20, true);
        return new EventLoop("millrace-" + index, transport(pool), pool, System::nanoTime, true);
    }
}
