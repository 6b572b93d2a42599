package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.net.Guard;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each guard of HTTP/2 counts when it acts, has a line in the log, and an event in the flight recorder.
class Http2GuardsTest {
    private static final int PORT = 80;

    private static Response app(io.millrace.http.Request request) {
        return switch (request.path()) {
            case "/large" -> Response.ok("x".repeat(2_000_000));
            case "/part" ->
                Response.stream(200, out -> {
                    out.write(new byte[2_000_000], 0, 2_000_000);
                    return false;
                });
            default -> Response.later(new CompletableFuture<>());
        };
    }

    /// What has each of them act.
    private static Map<Guard, Consumer<SimulatedHttp2Peer>> acts() {
        return Map.of(
                HttpGuards.HTTP2_WORK, peer -> peer.send(Attack.PINGS.frames()),
                HttpGuards.HEAD, peer -> peer.send(Attack.FIELDS_WITHOUT_END.frames()),
                HttpGuards.HTTP2_STREAMS,
                        peer -> {
                            for (int i = 0; i < 101; i++) peer.get("/never");
                        },
                HttpGuards.HTTP2_HEADS,
                        peer -> {
                            for (int i = 0; i < 60; i++) peer.get("/never", "x", "y".repeat(12_000));
                        },
                HttpGuards.HTTP2_UNSENT, peer -> peer.get("/part"),
                HttpGuards.HTTP2_WINDOW, peer -> peer.get("/large"));
    }

    private static void act(Guard guard, Consumer<SimulatedHttp2Peer> attack) {
        long before = guard.count();
        try (var network = new Simulation(1);
                var _ = AnyDispatch.serve(
                        limited(network.on(PORT), guard),
                        Dispatch.loop(),
                        HttpSettings.standard(),
                        Http2GuardsTest::app)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT, 1_000);
            peer.got.givesWindow = false;
            attack.accept(peer);
            peer.advance(Duration.ofSeconds(50));
        }
        assertTrue(guard.count() > before, guard::toString);
    }

    private static Listen limited(Listen on, Guard guard) {
        return guard.equals(HttpGuards.HTTP2_UNSENT)
                ? on.watermarks(100_000, 200_000).outputLimit(1_000_000)
                : on.writeTimeout(Duration.ofSeconds(20));
    }

    @Test
    void a_guard_that_acts_is_counted_logged_and_recorded(@TempDir Path folder) throws IOException {
        var file = folder.resolve("guards.jfr");
        try (var recording = new Recording()) {
            recording.enable("io.millrace.GuardActed");
            recording.start();
            acts().forEach(Http2GuardsTest::act);
            recording.stop();
            recording.dump(file);
        }
        var recorded = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.millrace.GuardActed"))
                .map(event -> event.getString("guard"))
                .distinct()
                .toList();
        for (var guard : acts().keySet()) {
            assertTrue(recorded.contains(guard.name()), () -> guard + " is not in " + recorded);
            // Of its last line in the log.
            assertNotEquals("", guard.lastly(), guard::toString);
        }
    }
}
