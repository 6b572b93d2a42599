package io.millrace.lab;

import io.millrace.lab.report.Idle;
import java.io.IOException;

/// What each of many idle connections costs a server.
final class IdleCost {
    /// Opened and closed first, so that nothing is counted that a server makes once.
    private static final int FIRST_CONNECTIONS = 500;

    private record Memory(double heapBytes, double rssBytes) {}

    private IdleCost() {}

    static Idle measure(Contender contender, int connections) throws IOException, InterruptedException {
        int few = Math.min(FIRST_CONNECTIONS, connections);
        contender.hold(few);
        contender.release(few);
        var without = memory(contender);
        contender.hold(connections);
        var with = memory(contender);
        contender.release(connections);
        boolean isJvm = contender.jvm().isPresent();
        return new Idle(
                contender.candidate().name(),
                connections,
                isJvm ? (with.heapBytes() - without.heapBytes()) / connections : -1,
                (with.rssBytes() - without.rssBytes()) / connections);
    }

    private static Memory memory(Contender contender) throws IOException {
        double heapBytes = 0;
        if (contender.jvm().isPresent()) {
            var jvm = contender.jvm().get();
            jvm.collect();
            // What had a cleaner, as closed sockets have, goes only now.
            jvm.collect();
            heapBytes = jvm.read().heapUsedBytes();
        }
        return new Memory(heapBytes, contender.meter().read().rssBytes());
    }
}
