package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.http.HttpVersion;
import io.millrace.http.memory.SocketCrowd;
import io.millrace.http.server.Http;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A drain of a proxy with many WebSockets, with the defaults, in virtual time.
@Tag("simulation")
class SocketDrainTest {
    private static final int PORT = 80;
    private static final int COUNT = 600;

    /// A backend's end: agrees, and answers nothing.
    private static final class Mute implements Handler {
        private final Connection connection;
        private final ByteArrayOutputStream head = new ByteArrayOutputStream();
        private boolean hasAgreed;

        Mute(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void onInput(Input in) {
            while (!in.isEmpty() && !hasAgreed) {
                head.write(in.readByte());
                hasAgreed = head.toString(ISO_8859_1).endsWith("\r\n\r\n");
                if (hasAgreed) agree();
            }
            in.skip(in.remaining());
        }

        /// And begins a message, which has no end.
        private void agree() {
            var lines = head.toString(ISO_8859_1).lines().toList();
            connection.output().writeUtf8(RawHandshake.agreeing(lines)).writeUtf8("\u0001\u0000");
        }

        @Override
        public void onEnd(Connection ended) {
            ended.close();
        }
    }

    /// The clients speak HTTP/1.1, with a second proxy in between that speaks either version with the first.
    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void many_are_told_one_after_the_other_over_the_whole_time(HttpVersion version) {
        try (var network = new Simulation(3);
                var last = network.listen(PORT + 2, Mute::new);
                var upstream = to(PORT + 2);
                var proxy = Http.listen(network.on(PORT + 1), upstream);
                var front = to(PORT + 1).version(version);
                var entry = Http.listen(network.on(PORT), front)) {
            var crowd = new SocketCrowd(network, PORT);
            // Within the limit of requests that wait for a connection.
            for (int joined = 0; joined < COUNT; joined += 50) {
                crowd.join(50);
                network.advance(Duration.ofSeconds(1));
            }
            assertEquals(Map.of("HTTP/1.1 101 Switching Protocols", (long) COUNT), crowd.answers());
            assertEquals(COUNT, last.connections());
            crowd.ping();
            network.advance(Duration.ofMillis(1));
            crowd.drainBegins();
            assertTrue(proxy.drain(Duration.ofSeconds(8)));
            network.advance(Duration.ofSeconds(1));
            var told = crowd.told(1001, 10);
            assertEquals(COUNT, Arrays.stream(told).sum(), () -> Arrays.toString(told));
            for (int second = 0; second < 6; second++) assertEquals(100, told[second], 25, Arrays.toString(told));
            assertEquals(0, crowd.cut());
            assertEquals(0, entry.connections());
            assertEquals(0, last.connections());
        }
    }

    private static Upstream to(int port) {
        return Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(port)))));
    }
}
