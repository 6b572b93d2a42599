package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.util.function.UnaryOperator;

/// A client of a test with a loop of its own; closing it asserts that every slab came home.
record Asking(EventLoops loops, HttpClient client) implements AutoCloseable {
    static Asking start() {
        return start(UnaryOperator.identity());
    }

    static Asking start(UnaryOperator<ClientSettings> choice) {
        return start(1, choice);
    }

    static Asking start(int threads, UnaryOperator<ClientSettings> choice) {
        var loops = EventLoops.configure()
                .transport(TransportKind.NIO)
                .threads(threads)
                .start();
        return new Asking(
                loops, HttpClient.of(choice.apply(ClientSettings.standard()).loops(loops)));
    }

    Response get(String uri) throws IOException {
        return client.send(Request.get(uri));
    }

    /// How many connections there are; those that are closing count.
    long connections() {
        return loops.counters().stream().mapToLong(loop -> loop.connections()).sum();
    }

    static void assertSays(String part, Throwable thrown) {
        assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown::toString);
    }

    @Override
    public void close() {
        client.close();
        loops.close();
        for (var counters : loops.counters()) {
            assertEquals(0, counters.slabBytesInUse(), () -> "bytes of slabs that did not come home: " + counters);
            assertEquals(0, counters.connections(), () -> "connections that were left: " + counters);
        }
    }
}
