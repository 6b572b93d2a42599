package io.millrace.lab;

import io.millrace.lab.process.JvmMeter;
import io.millrace.lab.report.Idle;
import io.millrace.lab.report.LoadShape;
import java.io.IOException;

/// What each of many idle connections costs a server.
final class IdleCost {
    /// Opened and closed first, so that what a server allocates only once is not counted.
    private static final int FIRST_CONNECTIONS = 500;

    /// Objects with cleaners, such as closed sockets, go with the second collection; and each reading allocates
    /// a different amount.
    private static final int COLLECTIONS = 5;

    private record Memory(long heapBytes, double rssBytes) {}

    private IdleCost() {}

    /// @param messages exchanged on each, 0 or 1
    static Idle measure(Contender contender, LoadShape shape, int messages) throws IOException, InterruptedException {
        int connections = shape.connections();
        var few = shape.connections(Math.min(FIRST_CONNECTIONS, connections));
        contender.hold(few, messages);
        contender.release(few);
        var without = memory(contender);
        contender.hold(shape, messages);
        var with = memory(contender);
        contender.release(shape);
        boolean isJvm = contender.jvm().isPresent();
        return new Idle(
                contender.candidate().name(),
                connections,
                messages,
                isJvm ? (double) (with.heapBytes() - without.heapBytes()) / connections : -1,
                (with.rssBytes() - without.rssBytes()) / connections);
    }

    private static Memory memory(Contender contender) throws IOException {
        long heapBytes = contender.jvm().isPresent() ? leastHeap(contender.jvm().get()) : 0;
        return new Memory(heapBytes, contender.meter().read().rssBytes());
    }

    private static long leastHeap(JvmMeter jvm) throws IOException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            jvm.collect();
            least = Math.min(least, jvm.read().heapUsedBytes());
        }
        return least;
    }
}
