package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tcp;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/// The tests of docs/guide-protocol.md.
class KeyValueTest {
    @Test
    void a_value_is_answered() {
        Simulation.forEachSeed(200, network -> {
            network.listen(7, KeyValue.server(new ConcurrentHashMap<>(Map.of("name", "stone"))));
            Peer client =
                    network.connect(7).send(frame(KeyValue.GET, "name", "mill")).end();
            network.run();
            assertArrayEquals(frame(KeyValue.GET, "name", "stone"), client.receivedBytes());
        });
    }

    @Test
    void a_client_gets_its_value() {
        Simulation.forEachSeed(200, network -> {
            network.listen(7, KeyValue.server(new ConcurrentHashMap<>(Map.of("name", "stone"))));
            try (var client = new KeyValue.Client(Tcp.connect(network.to(7)))) {
                assertEquals("stone", client.get("name"));
            }
        });
    }

    @Test
    void a_frame_over_the_limit_closes_the_connection() {
        Simulation.forEachSeed(200, network -> {
            network.listen(7, KeyValue.server(new ConcurrentHashMap<>()));
            Peer client = network.connect(7).send((byte) 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff);
            network.run();
            assertTrue(client.isReset());
        });
    }

    private static byte[] frame(byte kind, String key, String value) {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        byte[] valueBytes = value.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(7 + keyBytes.length + valueBytes.length)
                .putInt(3 + keyBytes.length + valueBytes.length)
                .put(kind)
                .putShort((short) keyBytes.length)
                .put(keyBytes)
                .put(valueBytes)
                .array();
    }
}
