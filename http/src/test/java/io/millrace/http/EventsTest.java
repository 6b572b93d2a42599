package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.loop.CoreGuards;
import io.millrace.sim.Simulation;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// Streams of events whose peers do not take them.
class EventsTest {
    private static final int PORT = 80;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String EVENT = "x".repeat(1_000);

    /// What would not arrive is not taken.
    @Test
    void no_event_is_taken_once_its_connection_closes() {
        var opened = new AtomicReference<EventStream>();
        try (var network = new Simulation(1);
                var server = AnyDispatch.serve(
                        // Above what it sends, so that it goes on reading.
                        network.on(PORT).watermarks(1 << 20, 2 << 20),
                        Dispatch.loop(),
                        _ -> Response.events(stream -> {
                            for (int i = 0; i < 500; i++) stream.send(EVENT);
                            opened.set(stream);
                        }))) {
            var peer = network.connect(PORT).pause().send(GET);
            network.run();
            assertTrue(opened.get().send("one more"));
            peer.end();
            network.run();
            assertEquals(1, server.connections(), "it has not got all of them yet");
            assertFalse(opened.get().send("too late"));
        }
    }

    @Test
    void those_that_are_too_many_for_their_peer_end_its_connection_at_once() {
        long before = CoreGuards.OUTPUT_UNSENT.count();
        var taken = new AtomicReference<Boolean>();
        try (var network = new Simulation(1);
                var server = Http.listen(
                        network.on(PORT).outputLimit(100_000),
                        _ -> Response.events(stream -> {
                            for (int i = 0; i < 100; i++) taken.set(stream.send(EVENT));
                        }))) {
            network.connect(PORT).pause().send(GET);
            network.run();
            assertEquals(0, server.connections());
            assertEquals(false, taken.get());
            assertEquals(before + 1, CoreGuards.OUTPUT_UNSENT.count());
        }
    }
}
