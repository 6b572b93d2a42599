package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.server.Http;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Many peers that send slowly take nothing from anybody: no thread, and no connection to a database.
@Tag("slow")
class SlowSendersTest {
    private static final int PEERS = 5_000;
    private static final int BODY_BYTES = 1_000;
    private static final int BYTES_PER_SECOND = 100;
    private static final int RESOURCES = 10;

    private final Semaphore pool = new Semaphore(RESOURCES);
    private final AtomicInteger exhausted = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();

    /// Takes one of few things before it looks at the body.
    private Response store(Request request) {
        if (!pool.tryAcquire()) {
            exhausted.incrementAndGet();
            return Response.status(503);
        }
        try {
            assertEquals(BODY_BYTES, request.text().length());
            served.incrementAndGet();
            return Response.status(204);
        } finally {
            pool.release();
        }
    }

    @Test
    void a_pool_is_never_exhausted_by_short_bodies_of_known_length() {
        try (var network = new Simulation(1);
                var server = Http.serve(
                        network.on(80),
                        HttpSettings.standard().limits(HttpLimits.standard().bodyBytesPerSecond(0)),
                        this::store)) {
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < PEERS; i++) {
                peers.add(network.connect(80)
                        .send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY_BYTES + "\r\n\r\n"));
            }
            var part = "x".repeat(BYTES_PER_SECOND);
            for (int sent = 0; sent < BODY_BYTES; sent += BYTES_PER_SECOND) {
                network.advance(Duration.ofSeconds(1));
                assertEquals(0, served.get());
                for (var peer : peers) peer.send(part);
            }
            network.advance(Duration.ofSeconds(5));
            assertEquals(PEERS, server.connections());
            assertEquals(0, exhausted.get());
            assertEquals(PEERS, served.get());
        }
    }
}
